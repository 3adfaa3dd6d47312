#include "target/waiting/memory_fingerprint.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "target/state/execution.hpp"
#include "target/state/threads.hpp"
#include "target/waiting/local_state.hpp"

// Of libraddle.so, by the linker: its zero-initialised data. The part beyond the file's last page
// is a mapping without a name.
extern "C" __attribute__((visibility("hidden"))) char __bss_start[];
extern "C" __attribute__((visibility("hidden"))) char _end[];

namespace raddle {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMainStack = 8ULL << 20;     // what may lie below the main thread's frames
constexpr std::uint64_t kMostBytes = 1024ULL << 20;  // of one mapping: the rest is not looked at

bool is_ours(std::uint64_t page) {
  return in_arena(page) || (page + kPage > reinterpret_cast<std::uint64_t>(__bss_start) &&
                            page < reinterpret_cast<std::uint64_t>(_end));
}

// The part of a thread's stack that is not looked at: what is not in use; and all of it, if the
// thread is one of those whose rounds are watched.
AddressRange skipped_stack(const Thread& t, std::uint64_t idleness) {
  if (t.finished || t.parked_at == 0) return {0, 0};
  const std::uint64_t low = t.stack_low != 0 ? t.stack_low : t.parked_at - kMainStack;
  return {low, t.idled_in == idleness ? stack_end(t) : t.parked_at};
}

bool has_skipped(std::uint64_t at, std::uint64_t bytes, std::uint64_t idleness) {
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    const Thread& t = thread_by_id(ThreadId{std::uint16_t(i)});
    if (skipped_stack(t, idleness).overlaps(at, bytes) || kernels_words(t).overlaps(at, bytes))
      return true;
  }
  return false;
}

std::uint64_t hash_mapping(std::uint64_t hash, const AddressRange& mapped, std::uint64_t idleness) {
  std::uint64_t end = mapped.end;
  if (end - mapped.begin > kMostBytes) end = mapped.begin + kMostBytes;
  for (std::uint64_t page = mapped.begin; page < end; page += kPage) {
    if (is_ours(page)) continue;
    const bool plain = !has_skipped(page, kPage, idleness);
    for (std::uint64_t at = page; at < page + kPage; at += sizeof(std::uint64_t)) {
      if (!plain && has_skipped(at, sizeof(std::uint64_t), idleness)) continue;
      std::uint64_t word;
      memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
      if (word == 0) continue;  // most words are
      hash = (hash ^ word ^ (at << 1)) * 0x9fb21c651e98df25ULL;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

std::uint64_t hex(const char*& at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    const char c = *at;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return value;
    value = value * 16 + std::uint64_t(digit);
  }
}

// A line of /proc/self/maps.
struct Mapping {
  AddressRange range;
  const char* rest;  // permissions, and the name at the end
};

bool parse(const char* line, Mapping& mapping) {
  mapping.range.begin = hex(line);
  if (*line++ != '-') return false;
  mapping.range.end = hex(line);
  if (*line != ' ' || strlen(line) < 5) return false;
  mapping.rest = line + 1;
  return mapping.rest[0] == 'r' && mapping.rest[1] == 'w';
}

// Memory of the program that it can write, and nobody else.
bool of_program(const Mapping& mapping) {
  return mapping.rest[3] == 'p' && strstr(mapping.rest, "libraddle") == nullptr &&
         strstr(mapping.rest, "[v") == nullptr;
}

bool is_shared(const Mapping& mapping) {
  return mapping.rest[3] == 's' && strstr(mapping.rest, "/memfd:raddle") == nullptr;
}

// Calls `see` with each mapping that can be written.
template <class See>
void for_each_mapping(const See& see) {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/maps"), O_RDONLY);
  if (fd < 0) return;
  char buffer[4096];
  std::size_t used = 0;
  for (;;) {
    const long n =
        raw_syscall(SYS_read, fd, as_arg(buffer + used), long(sizeof(buffer) - 1 - used));
    if (n <= 0) break;
    used += std::size_t(n);
    buffer[used] = 0;
    char* line = buffer;
    while (char* newline = strchr(line, '\n')) {
      *newline = 0;
      Mapping mapping;
      if (parse(line, mapping)) see(mapping);
      line = newline + 1;
    }
    used -= std::size_t(line - buffer);
    memmove(buffer, line, used);
    if (used == sizeof(buffer) - 1) used = 0;  // no line is that long
  }
  raw_syscall(SYS_close, fd);
}

}  // namespace

std::uint64_t memory_fingerprint(std::uint64_t idleness) {
  self().parked_at = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for_each_mapping([&](const Mapping& mapping) {
    if (of_program(mapping)) hash = hash_mapping(hash, mapping.range, idleness);
  });
  return hash;
}

bool memory_is_shared() {
  bool shared = false;
  for_each_mapping([&](const Mapping& mapping) { shared = shared || is_shared(mapping); });
  return shared;
}

}  // namespace raddle
