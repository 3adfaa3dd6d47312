/* The hooks that the pass calls. They write records into the stream, and ask for a decision where
 * the runtime wants one. Compiled by clang, linked into every instrumented module; all of them in
 * one section, so that the runtime can tell them from the program's own code.
 *
 * The calling convention preserve_most makes a call cheap for the caller; the slow paths are
 * functions of the same convention, so that the fast path saves nothing.
 */
#include "hooks/hooks.h"

static SLOW void flush(void) { __raddle_state.flush(); }
static SLOW void decide(const RaddleSite* site, const void* address) {
  __raddle_state.point(site, address);
}

static SLOW void scope(const RaddleSite* site, const void* object, uint64_t value) {
  __raddle_state.scope(site, object, value);
}

static inline void put(uint64_t head, uint64_t a, uint64_t b) {
  RaddleStream* stream = __raddle_state.stream;
  RaddleRecord* record = stream->cursor;
  record->head = head;
  record->a = a;
  record->b = b;
  __asm__ volatile("" ::: "memory"); /* whoever sees the cursor sees the record */
  stream->cursor = ++record;
  if (UNLIKELY(record == stream->limit)) flush();
}

static inline void put_site(const RaddleSite* site, const void* address, uint64_t value) {
  put((uint64_t)site, (uint64_t)address, value);
}

static inline uint64_t raw_head(uint8_t kind, uint8_t flags) {
  return (uint64_t)kind << 56 | (uint64_t)flags << 48;
}

static inline void point(const RaddleSite* site, const void* address) {
  uint8_t deciding = __raddle_state.deciding;
  if (UNLIKELY(deciding) && (deciding > 1 || site->decides)) decide(site, address);
}

static inline void watch(const RaddleSite* site, const void* object, uint64_t value) {
  if (UNLIKELY(__raddle_state.watching)) scope(site, object, value);
}

/* A function that was entered while tracing may still run when tracing has ended. */
static inline int off(void) { return UNLIKELY(!__raddle_state.tracing); }

#define ACCESS(bits)                                                                            \
  HOOK void __raddle_read##bits(const RaddleSite* site, const void* address) {                  \
    point(site, address);                                                                       \
    if (off()) return;                                                                          \
    put_site(site, address, *(const volatile UNALIGNED(bits)*)address);                         \
  }                                                                                             \
  HOOK void __raddle_write##bits(const RaddleSite* site, const void* address, uint64_t value) { \
    point(site, address);                                                                       \
    if (off()) return;                                                                          \
    put_site(site, address, value);                                                             \
  }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
#undef ACCESS

/* One event for each 8 bytes, the rest in one of fewer. */
static inline void put_wide(const RaddleSite* site, const void* address, uint64_t bytes) {
  const unsigned char* at = address;
  while (bytes > 0) {
    uint64_t part = bytes < 8 ? bytes : 8;
    uint64_t value = 0;
    for (uint64_t i = 0; i < part; ++i) {
      value |= (uint64_t)((const volatile unsigned char*)at)[i] << (8 * i);
    }
    put(raw_head(kRawSize, 0), part, 0);
    put_site(site, at, value);
    at += part;
    bytes -= part;
  }
}

HOOK void __raddle_read_wide(const RaddleSite* site, const void* address, uint64_t bytes) {
  point(site, address);
  if (off()) return;
  put_wide(site, address, bytes);
}

HOOK void __raddle_before_write(const RaddleSite* site, const void* address) {
  point(site, address);
}

HOOK void __raddle_wrote_wide(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (off()) return;
  put_wide(site, address, bytes);
}

HOOK void __raddle_read_range(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (bytes == 0) return;
  point(site, address);
  if (off()) return;
  put_site(site, address, bytes);
}

HOOK void __raddle_write_range(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (bytes == 0) return;
  point(site, address);
  if (off()) return;
  put_site(site, address, bytes);
}

HOOK void __raddle_atomic(const RaddleSite* site, const void* address, uint64_t read,
                          uint64_t written, uint32_t success) {
  if (off()) return;
  uint8_t flags = site->flags & kOrderMask;
  if (site->kind == kAtomicCompare && success) flags |= kSuccess;
  put(raw_head(kRawValue, 0), flags, written);
  put_site(site, address, read);
}

HOOK void __raddle_fence(const RaddleSite* site) {
  if (off()) return;
  put(raw_head(kRawValue, 0), site->flags & kOrderMask, 0);
  put_site(site, 0, 0);
}

HOOK void __raddle_atomic_point(const RaddleSite* site, const void* address) {
  decide(site, address);
}

HOOK void __raddle_enter(const RaddleSite* site, const void* self, const void* call) {
  if (off()) return;
  watch(site, self, (uint64_t)call);
  if (call) put(raw_head(kRawCall, 0), (uint64_t)call, 0);
  put_site(site, self, 0);
}

HOOK void __raddle_exit(const RaddleSite* site, const void* self) {
  if (off()) return;
  watch(site, self, 0);
  put_site(site, self, 0);
}

HOOK void __raddle_setjmp(const RaddleSite* site, const void* buffer, uint64_t result) {
  (void)site;
  if (off()) return;
  watch(0, buffer, result);
  put(raw_head(kRawSetjmp, 0), (uint64_t)buffer, result);
}

HOOK void __raddle_local(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (off()) return;
  put_site(site, address, bytes);
}

HOOK void __raddle_allocate_begin(const RaddleSite* site) {
  if (off()) return;
  __raddle_state.allocating = site;
}

HOOK void __raddle_allocate_end(void) {
  if (off()) return;
  __raddle_state.allocating = 0;
}

HOOK void __raddle_annotate(const RaddleSite* site, const void* object, uint64_t value) {
  if (off()) return;
  watch(site, object, value);
  put_site(site, object, value);
}

HOOK void __raddle_ignore(uint32_t begin) {
  if (off()) return;
  put(raw_head(kRawIgnore, 0), begin, 0);
}

/* The text in the records that follow, the last one filled with 0 bytes. */
static void put_name(uint8_t what, const void* object, const char* name) {
  uint64_t bytes = 0;
  while (name[bytes]) ++bytes;
  put(raw_head(kRawName, what), (uint64_t)object, bytes);
  for (uint64_t i = 0; i < bytes; i += sizeof(RaddleRecord)) {
    RaddleRecord record = {0, 0, 0};
    char* text = (char*)&record;
    for (uint64_t j = 0; j < sizeof record && i + j < bytes; ++j) text[j] = name[i + j];
    put(record.head, record.a, record.b);
  }
}

CALL void __raddle_name_thread(const char* name) {
  if (off() || !name) return;
  put_name(kNameRunningThread, 0, name);
}

CALL void __raddle_name_object(const void* object, const char* name) {
  if (off() || !name) return;
  put_name(kNameObject, object, name);
}

/* The hooks of a module come with its entry in the list of modules. */
__attribute__((used, visibility("hidden"))) const RaddleModule* const __raddle_own_module =
    &__raddle_module;
