// Plain accesses, ranges and functions, as the compilers call them. They come before the access.
#include <string.h>

#include "target/instrumented/deciding.hpp"
#include "target/tsan/events.hpp"

using namespace raddle;

namespace {

// A read's size must be 1, 2, 4 or 8.
void read_word(const char* address, unsigned bytes, std::uint32_t site) {
  std::uint64_t value = 0;
  memcpy(&value, address, bytes);
  std::uint8_t* to = raddle_put_kind(begin_record(), unsigned(EventKind::read), 0);
  to = raddle_put_size(to, bytes);
  const unsigned slot = raddle_slot_of_kind(site, unsigned(EventKind::read));
  to = raddle_put_access(&g_stream->model, to, site, slot, 0, bytes, as_number(address), value);
  ++g_stream->events;
  end_record(to);
}

void write_word(const char* address, unsigned bytes, std::uint32_t site) {
  std::uint8_t* record = begin_record();
  ++g_stream->events;
  end_record(raddle_put_late_write(record, site, bytes, as_number(address)));
  // Unless that record ended its chunk, which is gone then.
  if (g_stream->cursor == record + RADDLE_LATE_BYTES) g_pending_write = {record, address, bytes};
}

// A decision before the access, if it is to be one.
void point(EventKind kind, const void* address, std::size_t bytes, std::uint64_t site) {
  if (__builtin_expect(g_code_decides, 0) && g_active && decides_at(site))
    memory_point(kind, address, std::uint16_t(bytes < 8 ? bytes : 8), site);
}

void access(bool write, const void* address, unsigned bytes, std::uint64_t code) {
  point(write ? EventKind::write : EventKind::read, address, bytes, code);
  if (!tsan_traced()) return;
  const auto* at = static_cast<const char*>(address);
  const std::uint32_t site = code_site(code);
  for (; bytes > 0;) {
    unsigned part = bytes < 8 ? bytes : 8;
    write ? write_word(at, part, site) : read_word(at, part, site);
    at += part;
    bytes -= part;
  }
}

void range(EventKind kind, const void* address, std::size_t bytes, std::uint64_t site) {
  if (bytes > 0) point(kind, address, bytes, site);
  if (tsan_traced() && bytes > 0) note(kind, site, address, bytes);
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
  note(EventKind::enter, RADDLE_SITE, std::uint64_t{0}, as_number(call));
}
RADDLE_EXPORT void __tsan_func_exit() {
  if (tsan_traced()) note(EventKind::exit, RADDLE_SITE, std::uint64_t{0});
}

RADDLE_EXPORT void __tsan_ignore_thread_begin() {
  if (tsan_traced()) end_record(raddle_put_ignore(begin_record(), 1));
}
RADDLE_EXPORT void __tsan_ignore_thread_end() {
  if (tsan_traced()) end_record(raddle_put_ignore(begin_record(), 0));
}

RADDLE_EXPORT void __tsan_init() { note_tsan_module(); }
