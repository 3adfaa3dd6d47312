// Plain accesses, ranges and functions, as the compilers call them. They come before the access.
#include <string.h>

#include "runtime/stream/deciding.hpp"
#include "runtime/tsan/events.hpp"

using namespace raddle;

namespace {

void put_size(std::size_t bytes) { put_record(raw_head(RawKind::kSize, 0, 0), bytes, 0); }

void read_word(const char* address, std::size_t bytes, std::uint64_t site) {
  std::uint64_t value = 0;
  memcpy(&value, address, bytes);
  put_size(bytes);
  put_record(raw_head(EventKind::read, 0, site), as_number(address), value);
}

void write_word(const char* address, std::size_t bytes, std::uint64_t site) {
  put_size(bytes);
  RawRecord* record = g_stream->cursor;
  put_record(raw_head(EventKind::write, kNoValue, site), as_number(address), 0);
  // Unless that record ended its chunk, which is gone then.
  if (g_stream->cursor == record + 1) g_pending_write = {record, address, bytes};
}

// A decision before the access, if it is to be one.
void point(EventKind kind, const void* address, std::size_t bytes, std::uint64_t site) {
  if (__builtin_expect(g_code_decides, 0) && g_active && decides_at(site))
    memory_point(kind, address, std::uint16_t(bytes < 8 ? bytes : 8), site);
}

void access(bool write, const void* address, std::size_t bytes, std::uint64_t site) {
  point(write ? EventKind::write : EventKind::read, address, bytes, site);
  if (!tsan_traced()) return;
  const auto* at = static_cast<const char*>(address);
  for (; bytes > 0;) {
    std::size_t part = bytes < 8 ? bytes : 8;
    write ? write_word(at, part, site) : read_word(at, part, site);
    at += part;
    bytes -= part;
  }
}

void range(EventKind kind, const void* address, std::size_t bytes, std::uint64_t site) {
  if (bytes > 0) point(kind, address, bytes, site);
  if (tsan_traced() && bytes > 0) put_record(raw_head(kind, 0, site), as_number(address), bytes);
}

}  // namespace

#define RADDLE_TSAN_ACCESSES(bytes)                                                        \
  RADDLE_EXPORT void __tsan_read##bytes(void* p) { access(false, p, bytes, RADDLE_SITE); } \
  RADDLE_EXPORT void __tsan_write##bytes(void* p) { access(true, p, bytes, RADDLE_SITE); } \
  RADDLE_EXPORT void __tsan_read_write##bytes(void* p) {                                   \
    access(false, p, bytes, RADDLE_SITE);                                                  \
    access(true, p, bytes, RADDLE_SITE);                                                   \
  }                                                                                        \
  RADDLE_EXPORT void __tsan_volatile_read##bytes(void* p) {                                \
    access(false, p, bytes, RADDLE_SITE);                                                  \
  }                                                                                        \
  RADDLE_EXPORT void __tsan_volatile_write##bytes(void* p) { access(true, p, bytes, RADDLE_SITE); }
#define RADDLE_TSAN_UNALIGNED(bytes)                                   \
  RADDLE_EXPORT void __tsan_unaligned_read##bytes(void* p) {           \
    access(false, p, bytes, RADDLE_SITE);                              \
  }                                                                    \
  RADDLE_EXPORT void __tsan_unaligned_write##bytes(void* p) {          \
    access(true, p, bytes, RADDLE_SITE);                               \
  }                                                                    \
  RADDLE_EXPORT void __tsan_unaligned_read_write##bytes(void* p) {     \
    access(false, p, bytes, RADDLE_SITE);                              \
    access(true, p, bytes, RADDLE_SITE);                               \
  }                                                                    \
  RADDLE_EXPORT void __tsan_unaligned_volatile_read##bytes(void* p) {  \
    access(false, p, bytes, RADDLE_SITE);                              \
  }                                                                    \
  RADDLE_EXPORT void __tsan_unaligned_volatile_write##bytes(void* p) { \
    access(true, p, bytes, RADDLE_SITE);                               \
  }
RADDLE_TSAN_ACCESSES(1)
RADDLE_TSAN_ACCESSES(2)
RADDLE_TSAN_ACCESSES(4)
RADDLE_TSAN_ACCESSES(8)
RADDLE_TSAN_ACCESSES(16)
RADDLE_TSAN_UNALIGNED(2)
RADDLE_TSAN_UNALIGNED(4)
RADDLE_TSAN_UNALIGNED(8)
RADDLE_TSAN_UNALIGNED(16)
#undef RADDLE_TSAN_ACCESSES
#undef RADDLE_TSAN_UNALIGNED

RADDLE_EXPORT void __tsan_vptr_read(void** p) { access(false, p, sizeof(*p), RADDLE_SITE); }
RADDLE_EXPORT void __tsan_vptr_update(void** p, void*) { access(true, p, sizeof(*p), RADDLE_SITE); }

RADDLE_EXPORT void __tsan_read_range(void* p, std::size_t bytes) {
  range(EventKind::read_range, p, bytes, RADDLE_SITE);
}
RADDLE_EXPORT void __tsan_write_range(void* p, std::size_t bytes) {
  range(EventKind::write_range, p, bytes, RADDLE_SITE);
}

RADDLE_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  range(EventKind::read_range, from, bytes, RADDLE_SITE);
  range(EventKind::write_range, to, bytes, RADDLE_SITE);
  return memcpy(to, from, bytes);
}
RADDLE_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  range(EventKind::read_range, from, bytes, RADDLE_SITE);
  range(EventKind::write_range, to, bytes, RADDLE_SITE);
  return memmove(to, from, bytes);
}
RADDLE_EXPORT void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  range(EventKind::write_range, to, bytes, RADDLE_SITE);
  return memset(to, byte, bytes);
}

// The site of a function's entry is the hook's own return address, which lies inside it.
RADDLE_EXPORT void __tsan_func_entry(void* call) {
  if (!tsan_traced()) return;
  put_record(raw_head(RawKind::kCall, 0, 0), as_number(call), 0);
  put_record(raw_head(EventKind::enter, 0, RADDLE_SITE), 0, 0);
}
RADDLE_EXPORT void __tsan_func_exit() {
  if (tsan_traced()) put_record(raw_head(EventKind::exit, 0, RADDLE_SITE), 0, 0);
}

RADDLE_EXPORT void __tsan_ignore_thread_begin() {
  if (tsan_traced()) put_record(raw_head(RawKind::kIgnore, 0, 0), 1, 0);
}
RADDLE_EXPORT void __tsan_ignore_thread_end() {
  if (tsan_traced()) put_record(raw_head(RawKind::kIgnore, 0, 0), 0, 0);
}

RADDLE_EXPORT void __tsan_init() { note_tsan_module(); }
