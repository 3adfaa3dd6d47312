// What an execution does to the process that is not memory, as far as somebody has to know of it
// when the process is put back for the next execution (target/snapshot/). All of this is memory, so
// it is forgotten with the rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "target/base/base.hpp"

namespace raddle {

// 1: nothing outside the process's memory was touched since this execution began, and the kernel
// tells of the program's first system call (target/snapshot/system_calls.hpp), which makes it 0.
// Memory alone is the state then. Calls that the runtime makes in the program's name say so
// themselves.
extern volatile unsigned char g_outside_untouched;
inline void touch_outside() { g_outside_untouched = 0; }

// The program changed something that is not put back: its next executions are forked. `what` is a
// sentence about "it", and a literal.
extern const char* g_kernel_change;
inline void note_kernel_change(const char* what) {
  touch_outside();
  if (g_kernel_change == nullptr) g_kernel_change = what;
}

// Bit n - 1: the kernel was told another action for signal n.
extern std::uint64_t g_changed_actions;

// The program mapped, unmapped or protected memory itself.
extern bool g_mappings_changed;

// raw_syscall() in the program's name.
inline long outside_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                            long f = 0) {
  touch_outside();
  return raw_syscall(number, a, b, c, d, e, f);
}

// Mappings that the runtime makes at fixed places for threads, and need not make again in each
// execution: the process that is put back keeps them. And memory that the program unmaps. Null
// where there is no such process.
struct KeptMappings {
  // The mapping is there, all zero. Whatever else was there is unmapped.
  bool (*has)(std::uint64_t begin, std::size_t size, std::size_t guard);
  // It has been made.
  void (*add)(std::uint64_t begin, std::size_t size, std::size_t guard);
  // The program is about to unmap this. If it had it at its start, the pages are put aside, and
  // what is unmapped then is empty.
  bool (*park)(std::uint64_t begin, std::size_t size);
};
extern const KeptMappings* g_kept_mappings;

}  // namespace raddle
