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

// Which pages of an anonymous mapping were never written: they are zeros, which count for nothing,
// and to look at one would cost a page fault. The heap and the shadows of memory are mappings of
// gigabytes, of which a few pages are in use.
class UsedPages {
 public:
  UsedPages() : fd_(raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/pagemap"), O_RDONLY)) {}
  ~UsedPages() {
    if (fd_ >= 0) raw_syscall(SYS_close, fd_);
  }
  UsedPages(const UsedPages&) = delete;
  UsedPages& operator=(const UsedPages&) = delete;

  // Asked for one page after another. Where the kernel does not tell, all are in use.
  bool is_used(std::uint64_t page) {
    const std::uint64_t number = page / kPage;
    if (number - first_ >= count_ && !read(number)) return true;
    return (g_entries[number - first_] & kPresentOrSwapped) != 0;
  }

 private:
  static constexpr std::uint64_t kPresentOrSwapped = 3ULL << 62;
  static constexpr std::size_t kEntries = 2048;
  static std::uint64_t g_entries[kEntries];  // not on a stack, which may be small

  bool read(std::uint64_t number) {
    count_ = 0;
    if (fd_ < 0) return false;
    const long n = raw_syscall(SYS_pread64, fd_, as_arg(g_entries), long(sizeof(g_entries)),
                               long(number * sizeof(std::uint64_t)));
    if (n < long(sizeof(std::uint64_t))) return false;
    first_ = number;
    count_ = std::uint64_t(n) / sizeof(std::uint64_t);
    return true;
  }

  long fd_;
  std::uint64_t first_ = 0;  // number of the page that the first entry is about
  std::uint64_t count_ = 0;
};
std::uint64_t UsedPages::g_entries[kEntries];

// `used`: null if pages that were never written are not zeros, but those of a file.
std::uint64_t hash_mapping(std::uint64_t hash, const AddressRange& mapped, std::uint64_t idleness,
                           UsedPages* used) {
  std::uint64_t end = mapped.end;
  if (end - mapped.begin > kMostBytes) end = mapped.begin + kMostBytes;
  for (std::uint64_t page = mapped.begin; page < end; page += kPage) {
    if (used != nullptr && !used->is_used(page)) continue;
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

// "rw-p 00000000 00:00 0": of no file on no device.
bool is_anonymous(const Mapping& mapping) {
  const char* offset = strchr(mapping.rest, ' ');
  const char* device = offset != nullptr ? strchr(offset + 1, ' ') : nullptr;
  return device != nullptr && strncmp(device, " 00:00 0", 8) == 0;
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
  UsedPages used;
  for_each_mapping([&](const Mapping& mapping) {
    if (!of_program(mapping)) return;
    hash = hash_mapping(hash, mapping.range, idleness, is_anonymous(mapping) ? &used : nullptr);
  });
  return hash;
}

bool memory_is_shared() {
  bool shared = false;
  for_each_mapping([&](const Mapping& mapping) { shared = shared || is_shared(mapping); });
  return shared;
}

}  // namespace raddle
