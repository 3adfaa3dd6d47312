/* The hooks that instrumented code calls. They write records into the stream, and ask the runtime
 * for a decision where it wants to make one. Every instrumented module links its own copy. All
 * hooks are in one section, so that the runtime can tell them from the program's own code.
 */
#include "compiler/hooks/hooks.h"

static SLOW void flush(void) { __raddle_state.flush(); }
static SLOW void decide(const RaddleSite* site, const void* address) {
  __raddle_state.point(site, address);
}
static SLOW void scope(const RaddleSite* site, const void* object, uint64_t value) {
  __raddle_state.scope(site, object, value);
}
static SLOW uint32_t first_use(const RaddleSite* site) {
  uint32_t id = raddle_meet_site(__raddle_state.stream, RADDLE_SITE_DESCRIBED, (uint64_t)site);
  ((RaddleSite*)site)->id = id;
  return id;
}

static inline uint32_t id_of(const RaddleSite* site) {
  uint32_t id = site->id;
  return UNLIKELY(id == 0) ? first_use(site) : id;
}

static inline void put_end(RaddleStream* stream, uint8_t* to) {
  if (raddle_advance(stream, to)) flush();
}

static inline void watch(const RaddleSite* site, const void* object, uint64_t value) {
  if (UNLIKELY(__raddle_state.watching)) scope(site, object, value);
}

static inline void put_event_end(RaddleStream* stream, uint8_t* to) {
  ++stream->events;
  put_end(stream, to);
}

/* A function that began while tracing may still run after the end of tracing. */
static inline int off(void) { return UNLIKELY(!__raddle_state.tracing); }

static SLOW int unusual(const RaddleSite* site, const void* address) {
  uint8_t deciding = __raddle_state.deciding;
  if (deciding > 1 || (deciding && site->decides)) decide(site, address);
  return off();
}

/* Before an access: lets the runtime decide, if it wants to. Returns true if there is nothing to
 * record. One comparison tests `tracing` and `deciding` together, because a program calls this a
 * hundred million times a second. */
static inline int point(const RaddleSite* site, const void* address) {
  typedef uint32_t Flags __attribute__((may_alias));
  const RaddleState usual = {.tracing = 1}, relevant = {.tracing = 0xff, .deciding = 0xff};
  Flags flags = *(const Flags*)&__raddle_state & *(const Flags*)&relevant;
  return UNLIKELY(flags != *(const Flags*)&usual) ? unusual(site, address) : 0;
}

/* The first byte of a range that must not be touched; 0 if there is none. */
static PART uint64_t first_bad(uint64_t begin, uint64_t bytes) {
  typedef uint64_t Word __attribute__((may_alias));
  uint64_t end = begin + bytes;
  uint64_t last = ((begin >> RADDLE_AREA_SHIFT) + 1) << RADDLE_AREA_SHIFT;
  if (end < begin || end > last) end = last;
  uint64_t at = begin;
  while (at < end) {
    if (at % 64 == 0 && end - at >= 64 && *(const Word*)(at / 8) == 0) {
      at += 64;
      continue;
    }
    uint8_t shadow = *(const uint8_t*)(at / 8);
    uint64_t next = at / 8 * 8 + 8;
    if (next > end) next = end;
    if (shadow != 0) {
      if (shadow >= 8 || at % 8 >= shadow) return at;
      if (next - at / 8 * 8 > shadow) return at / 8 * 8 + shadow;
    }
    at = next;
  }
  return 0;
}

static SLOW void judge(const void* address, uint64_t bytes, uint32_t writes) {
  uint64_t bad = first_bad((uint64_t)address, bytes);
  if (bad != 0) __raddle_state.fault((const void*)bad, bytes, writes);
}

static inline int is_judged(const void* address) {
  uint64_t number = (uint64_t)address >> RADDLE_AREA_SHIFT;
  return UNLIKELY((number | RADDLE_AREA_BITS) == RADDLE_AREA_NUMBER) && __raddle_state.locals != 0;
}

/* Before an access of a few bytes. */
static inline void check(const void* address, uint64_t bytes, uint32_t writes) {
  if (!is_judged(address)) return;
  uint64_t begin = (uint64_t)address;
  if (UNLIKELY(*(const uint8_t*)(begin / 8) | *(const uint8_t*)((begin + bytes - 1) / 8)))
    judge(address, bytes, writes);
}

static inline void check_many(const void* address, uint64_t bytes, uint32_t writes) {
  if (is_judged(address) && bytes != 0) judge(address, bytes, writes);
}

__attribute__((preserve_most, nothrow, visibility("hidden"))) HOOKS_SECTION void __raddle_check(
    const void* address, uint64_t bytes, uint32_t writes) {
  judge(address, bytes, writes);
}

HOOK void __raddle_check_range(const void* address, uint64_t bytes, uint32_t writes) {
  check_many(address, bytes, writes);
}

static inline void put_access(const RaddleSite* site, const void* address, int write,
                              unsigned bytes, uint64_t value) {
  RaddleStream* stream = __raddle_state.stream;
  uint32_t id = id_of(site);
  put_event_end(stream, raddle_put_access(&stream->model, stream->cursor, id, raddle_slot(id),
                                          write, bytes, (uint64_t)address, value));
}

/* Reads the value first: if that crashes, the stream has no half-written record. A memory fault is
 * recorded before it ends the execution. */
#define READ(name, bits, checked)                                                \
  HOOK void __raddle_##name##bits(const RaddleSite* site, const void* address) { \
    if (point(site, address)) return;                                            \
    uint64_t value = *(const volatile UNALIGNED(bits)*)address;                  \
    __asm__ volatile("" ::: "memory");                                           \
    put_access(site, address, 0, bits, value);                                   \
    if (checked) check(address, bits, 0);                                        \
  }
#define ACCESS(bits)                                                                            \
  READ(read, bits, 1)                                                                           \
  READ(peek, bits, 0)                                                                           \
  HOOK void __raddle_write##bits(const RaddleSite* site, const void* address, uint64_t value) { \
    if (point(site, address)) return;                                                           \
    put_access(site, address, 1, bits, (UNALIGNED(bits))value);                                 \
    check(address, bits, 1);                                                                    \
  }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
#undef ACCESS
#undef READ

static inline uint8_t* put_other(RaddleStream* stream, uint8_t* to, const RaddleSite* site,
                                 const void* address, uint64_t value) {
  uint32_t id = id_of(site);
  return raddle_put_other(&stream->model, to, id, raddle_slot(id), (uint64_t)address, value);
}

static inline void put_site(const RaddleSite* site, const void* address, uint64_t value) {
  RaddleStream* stream = __raddle_state.stream;
  put_event_end(stream, put_other(stream, stream->cursor, site, address, value));
}

/* Writes one event for each 8 bytes, and one for the rest. */
static PART void put_wide(const RaddleSite* site, const void* address, uint64_t bytes) {
  const unsigned char* at = address;
  RaddleStream* stream = __raddle_state.stream;
  uint64_t usual = site->size < 8 ? site->size : 8;
  while (bytes > 0) {
    uint64_t part = bytes < 8 ? bytes : 8;
    uint64_t value = 0;
    for (uint64_t i = 0; i < part; ++i) {
      value |= (uint64_t)((const volatile unsigned char*)at)[i] << (8 * i);
    }
    __asm__ volatile("" ::: "memory");
    uint8_t* to = stream->cursor;
    if (part != usual) to = raddle_put_size(to, (unsigned)part);
    uint32_t id = id_of(site);
    unsigned slot = raddle_slot(id);
    int write = site->kind == kWrite;
    if (part == 8 || part == 4 || part == 2 || part == 1) {
      to = raddle_put_access(&stream->model, to, id, slot, write, (unsigned)part, (uint64_t)at,
                             value);
    } else {
      to = raddle_put_other(&stream->model, to, id, slot, (uint64_t)at, value);
    }
    put_event_end(stream, to);
    at += part;
    bytes -= part;
  }
}

HOOK void __raddle_read_wide(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (point(site, address)) return;
  put_wide(site, address, bytes);
  check_many(address, bytes, 0);
}

HOOK void __raddle_before_write(const RaddleSite* site, const void* address) {
  if (point(site, address) || !is_judged(address) || !first_bad((uint64_t)address, site->size))
    return;
  put_wide(site, address, site->size);
  judge(address, site->size, 1);
}

HOOK void __raddle_wrote_wide(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (!off()) put_wide(site, address, bytes);
}

static PART void touch_range(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (bytes == 0) return;
  __raddle_state.range = bytes;
  if (point(site, address)) return;
  put_site(site, address, bytes);
  check_many(address, bytes, site->kind == kWriteRange);
}

HOOK void __raddle_read_range(const RaddleSite* site, const void* address, uint64_t bytes) {
  touch_range(site, address, bytes);
}

HOOK void __raddle_write_range(const RaddleSite* site, const void* address, uint64_t bytes) {
  touch_range(site, address, bytes);
}

static PART void put_atomic(const RaddleSite* site, const void* address, uint64_t read,
                            uint64_t written, unsigned flags) {
  RaddleStream* stream = __raddle_state.stream;
  uint32_t id = id_of(site);
  uint8_t* to = raddle_put_kind(stream->cursor, site->kind, flags);
  if (written != 0) to = raddle_put_value2(to, written);
  to = raddle_put_other(&stream->model, to, id, raddle_slot_of_kind(id, site->kind),
                        (uint64_t)address, read);
  put_event_end(stream, to);
}

HOOK void __raddle_atomic(const RaddleSite* site, const void* address, uint64_t read,
                          uint64_t written, uint32_t success) {
  if (off()) return;
  unsigned flags = site->flags & kOrderMask;
  if (site->kind == kAtomicCompare && success) flags |= kSuccess;
  put_atomic(site, address, read, written, flags);
}

HOOK void __raddle_fence(const RaddleSite* site) {
  if (!off()) put_atomic(site, 0, 0, 0, site->flags & kOrderMask);
}

__attribute__((preserve_most, nothrow, visibility("hidden"))) HOOKS_SECTION void
__raddle_atomic_point(const RaddleSite* site, const void* address) {
  decide(site, address);
}

HOOK void __raddle_enter(const RaddleSite* site, const void* self, const void* call) {
  if (off()) return;
  watch(site, self, (uint64_t)call);
  put_site(site, self, (uint64_t)call);
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
  RaddleStream* stream = __raddle_state.stream;
  put_end(stream, raddle_put_setjmp(stream->cursor, (uint64_t)buffer, result));
}

static inline int on_stack(const void* address) {
  uint64_t number = (uint64_t)address >> RADDLE_AREA_SHIFT;
  return __raddle_state.locals != 0 && (number | RADDLE_STACK_BITS) == RADDLE_AREA_NUMBER;
}

static inline void mark(uint64_t begin, uint64_t bytes, uint8_t as) {
  uint8_t* shadow = (uint8_t*)(begin / 8);
  for (uint64_t left = (bytes + 7) / 8; left > 0; --left) {
    *shadow++ = as;
    __asm__ volatile("" ::: "memory"); /* no call of memset */
  }
}

#define MARK __attribute__((preserve_most, nothrow, visibility("hidden"))) HOOKS_SECTION

MARK void __raddle_local_begins(const void* address, uint64_t bytes) {
  if (on_stack(address)) mark((uint64_t)address, bytes, 0);
}

MARK void __raddle_local_ends(const void* address, uint64_t bytes) {
  if (!on_stack(address)) return;
  uint64_t begin = (uint64_t)address;
  RaddleLocals* locals = __raddle_state.locals;
  uint64_t first = begin % RADDLE_AREA_SIZE, last = first + bytes - 1;
  uint64_t area = begin < RADDLE_LAST_AREA ? RADDLE_SHADOW_PAGES : 0;
  for (uint64_t page = first / 8 / 4096; page <= last / 8 / 4096; ++page) {
    if (locals->is_listed[area + page]) continue;
    if (locals->page_count == RADDLE_MOST_PAGES) return;
    locals->is_listed[area + page] = 1;
    locals->pages[locals->page_count++] = (uint32_t)(area + page);
  }
  RaddleGoneLocal* gone = &locals->gone[begin / 8 % RADDLE_GONE_LOCALS];
  gone->address = begin;
  gone->bytes = bytes;
  gone->code = (uint64_t)__builtin_return_address(0);
  mark(begin, bytes, RADDLE_SHADOW_GONE);
}

HOOK void __raddle_local(const RaddleSite* site, const void* address, uint64_t bytes) {
  if (!off()) put_site(site, address, bytes);
}

HOOK void __raddle_allocate_begin(const RaddleSite* site) {
  if (!off()) __raddle_state.allocating = site;
}

HOOK void __raddle_allocate_end(void) {
  if (!off()) __raddle_state.allocating = 0;
}

HOOK void __raddle_annotate(const RaddleSite* site, const void* object, uint64_t value) {
  if (off()) return;
  watch(site, object, value);
  put_site(site, object, value);
}

HOOK void __raddle_ignore(uint32_t begin) {
  if (off()) return;
  RaddleStream* stream = __raddle_state.stream;
  put_end(stream, raddle_put_ignore(stream->cursor, begin != 0));
}

static PART void put_name(uint8_t what, const void* object, const char* name) {
  unsigned bytes = 0;
  while (bytes < 255 && name[bytes]) ++bytes;
  RaddleStream* stream = __raddle_state.stream;
  if (stream->cursor + RADDLE_NAME_BYTES > stream->limit + RADDLE_CHUNK_SLACK) flush();
  put_end(stream, raddle_put_name(stream->cursor, what, (uint64_t)object, name, bytes));
}

HOOK void __raddle_name_thread(const char* name) {
  if (!off() && name) put_name(RADDLE_NAMES_RUNNING, 0, name);
}

HOOK void __raddle_name_object(const void* object, const char* name) {
  if (!off() && name) put_name(RADDLE_NAMES_OBJECT, object, name);
}

/* This reference makes the linker add module.c, which puts the module into the list. */
__attribute__((used, visibility("hidden"))) const RaddleModule* const __raddle_own_module =
    &__raddle_module;
