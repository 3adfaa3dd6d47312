#include "target/carrier/signal_mask.hpp"

#include <signal.h>
#include <sys/syscall.h>

#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/state/execution.hpp"

namespace raddle {

bool g_signals_due;
std::uint64_t g_kernel_mask = kUnknownMask;

std::uint64_t kernel_mask_for(std::uint64_t mask) {
  return g_counter_trapped ? mask & ~signal_bit(SIGSEGV) : mask;
}

void set_kernel_mask(std::uint64_t mask) {
  mask = kernel_mask_for(mask);
  if ((mask & signal_bit(SIGSYS)) != 0) touch_outside();  // which is told by that signal
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask));
}

void apply_mask(const Thread& thread) {
  if (plan().carrier == CarrierKind::kFiber) {
    if (g_kernel_mask == thread.mask) return;
    g_kernel_mask = thread.mask;
  }
  set_kernel_mask(thread.mask);
}

std::uint64_t initial_mask() {
  std::uint64_t mask = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, 0, as_arg(&mask), sizeof(mask));
  mask &= ~kReservedSignals;
  set_kernel_mask(mask);
  g_kernel_mask = mask;
  return mask;
}

void change_to_mask_of(Thread& thread) {
  if ((thread.signals & ~thread.mask) != 0) g_signals_due = true;
  if (plan().carrier == CarrierKind::kFiber) apply_mask(thread);
}

void block_all_signals() { set_kernel_mask(~std::uint64_t{0}); }
void restore_signals() { set_kernel_mask(g_current->mask); }

}  // namespace raddle
