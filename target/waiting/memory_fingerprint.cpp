#include "target/waiting/memory_fingerprint.hpp"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "target/state/execution.hpp"
#include "target/state/threads.hpp"

// Of libraddle.so, by the linker: its zero-initialised data. The part beyond the file's last page
// is a mapping without a name.
extern "C" __attribute__((visibility("hidden"))) char __bss_start[];
extern "C" __attribute__((visibility("hidden"))) char _end[];

// Where, from its thread pointer, the kernel tells each kernel thread which processor it is on: it
// changes by itself. A glibc before 2.35 does not ask the kernel for that, and does not have this.
extern "C" __attribute__((weak)) const ptrdiff_t __rseq_offset;

namespace raddle {
namespace {

constexpr std::uint64_t kRseqBytes = 32;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kInnermost = 1024;           // of a thread that gives way
constexpr std::uint64_t kMainStack = 8ULL << 20;     // what may lie below the main thread's frames
constexpr std::uint64_t kMostBytes = 1024ULL << 20;  // of one mapping: the rest is not looked at

struct Mapped {
  std::uint64_t begin;
  std::uint64_t end;
};

bool is_ours(std::uint64_t page) {
  return in_arena(page) || (page + kPage > reinterpret_cast<std::uint64_t>(__bss_start) &&
                            page < reinterpret_cast<std::uint64_t>(_end));
}

// 0: there is none.
std::uint64_t rseq_of(const Thread& t) {
  if (&__rseq_offset == nullptr || t.thread_pointer == nullptr) return 0;
  return reinterpret_cast<std::uint64_t>(t.thread_pointer) + std::uint64_t(__rseq_offset);
}

bool skip_word(std::uint64_t at, std::uint32_t threads) {
  for (std::uint32_t i = 0; i < threads; ++i) {
    const Thread& t = thread_by_id(ThreadId{std::uint16_t(i)});
    const std::uint64_t rseq = rseq_of(t);
    if (rseq != 0 && at + sizeof(std::uint64_t) > rseq && at < rseq + kRseqBytes) return true;
    if (t.finished || t.parked_at == 0) continue;
    const std::uint64_t low = t.stack_low != 0 ? t.stack_low : t.parked_at - kMainStack;
    const std::uint64_t margin = is_idle_op(t.pending.op) ? kInnermost : 0;
    if (at >= low && at < t.parked_at + margin) return true;
  }
  return false;
}

// No thread's unused or innermost stack lies in this page, nor what the kernel writes for it.
bool plain_page(std::uint64_t page, std::uint32_t threads) {
  for (std::uint32_t i = 0; i < threads; ++i) {
    const Thread& t = thread_by_id(ThreadId{std::uint16_t(i)});
    const std::uint64_t rseq = rseq_of(t);
    if (rseq != 0 && page + kPage > rseq && page < rseq + kRseqBytes) return false;
    if (t.finished || t.parked_at == 0) continue;
    const std::uint64_t low = t.stack_low != 0 ? t.stack_low : t.parked_at - kMainStack;
    if (page + kPage > low && page < t.parked_at + kInnermost) return false;
  }
  return true;
}

std::uint64_t hash_mapping(std::uint64_t hash, const Mapped& mapped) {
  const std::uint32_t threads = thread_count();
  std::uint64_t end = mapped.end;
  if (end - mapped.begin > kMostBytes) end = mapped.begin + kMostBytes;
  for (std::uint64_t page = mapped.begin; page < end; page += kPage) {
    if (is_ours(page)) continue;
    const bool plain = plain_page(page, threads);
    for (std::uint64_t at = page; at < page + kPage; at += sizeof(std::uint64_t)) {
      if (!plain && skip_word(at, threads)) continue;
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

// A line of /proc/self/maps: private memory of the program that it can write.
bool of_program(const char* line, Mapped& mapped) {
  mapped.begin = hex(line);
  if (*line++ != '-') return false;
  mapped.end = hex(line);
  if (*line++ != ' ' || strlen(line) < 4) return false;
  if (line[0] != 'r' || line[1] != 'w' || line[3] != 'p') return false;
  return strstr(line, "libraddle") == nullptr && strstr(line, "[v") == nullptr;
}

}  // namespace

std::uint64_t memory_fingerprint() {
  self().parked_at = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/maps"), O_RDONLY);
  if (fd < 0) return 0;
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
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
      Mapped mapped;
      if (of_program(line, mapped)) hash = hash_mapping(hash, mapped);
      line = newline + 1;
    }
    used -= std::size_t(line - buffer);
    memmove(buffer, line, used);
    if (used == sizeof(buffer) - 1) used = 0;  // no line is that long
  }
  raw_syscall(SYS_close, fd);
  return hash;
}

}  // namespace raddle
