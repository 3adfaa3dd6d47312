// For this folder alone: where the running thread is in the program, and what only it knows there:
// the registers that calls preserve, and its stack.
#pragma once

#include <cstdint>

#include "target/state/thread.hpp"

namespace raddle {

struct LocalState {
  std::uint64_t pc;    // in the innermost function that is neither ours nor a hook; 0: unknown
  std::uint64_t hash;  // of registers and stack
};

// Of the running thread, which is in the runtime: from the innermost function of the program on.
LocalState local_state(const Thread& thread);

// The same for a thread that a sample interrupted with this stack pointer. Its innermost function
// is at another instruction each time; this is about the rest.
LocalState interrupted_state(const Thread& thread, std::uintptr_t stack_pointer);

// Of the thread's stack from there to its end: a loop may count its rounds in any frame, however
// far from the innermost one. If that is a stack of the program's own making, of 512 bytes alone.
std::uint64_t stack_hash(const Thread& thread, std::uintptr_t from);

// The end of the thread's stack, where it began.
std::uintptr_t stack_end(const Thread& thread);

struct AddressRange {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool overlaps(std::uintptr_t at, std::uintptr_t bytes) const {
    return at + bytes > begin && at < end;
  }
};

// What the kernel writes for a thread by itself: the processor that it is on. Empty with a glibc
// before 2.35, which does not ask the kernel for that.
AddressRange kernels_words(const Thread& thread);

// So much below the stack pointer belongs to the innermost function, and so much from there on is
// taken for it.
inline constexpr std::uintptr_t kRedZone = 128;
inline constexpr std::uintptr_t kInnermostBytes = 512;

}  // namespace raddle
