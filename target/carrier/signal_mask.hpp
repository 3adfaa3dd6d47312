// The kernel's signal mask, which follows the mask of the thread that runs. Masks are kept per
// thread (Thread::mask), because all fibers share one kernel thread. What is done with the signals
// is signals/'s matter.
#pragma once

#include <cstdint>

#include "protocol/shared_region.hpp"
#include "target/state/thread.hpp"

namespace raddle {

inline constexpr int kSignals = 64;

constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// Signals that nobody may block or handle: the sample, and glibc's own two. Thread::mask never has
// these bits.
inline constexpr std::uint64_t kReservedSignals =
    signal_bit(kSampleSignal) | signal_bit(32) | signal_bit(33);

// Signals may be waiting for the running thread: it delivers them when it leaves the runtime.
extern bool g_signals_due;

// The kernel's mask of the main thread when control is taken.
std::uint64_t initial_mask();

// What the kernel's mask is, with fibers.
extern std::uint64_t g_kernel_mask;
// Says that it is another one than any thread's.
inline constexpr std::uint64_t kUnknownMask = ~std::uint64_t{0};

void set_kernel_mask(std::uint64_t mask);
// What the kernel is told when a thread wants `mask`: the fault of a read of the time-stamp counter
// is never blocked (control/counter.hpp).
std::uint64_t kernel_mask_for(std::uint64_t mask);
// The running thread's mask changed.
void apply_mask(const Thread& thread);

[[gnu::cold]] void change_to_mask_of(Thread& thread);
// `thread` is about to run: the kernel's mask becomes its mask (no system call if it is that
// already).
inline void use_mask_of(Thread& thread) {
  if (thread.signals != 0 || thread.mask != g_kernel_mask) change_to_mask_of(thread);
}

// Kernel carrier only: around parking.
void block_all_signals();
void restore_signals();  // the mask of g_current

}  // namespace raddle
