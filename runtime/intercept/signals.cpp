#include "runtime/intercept/signals.hpp"

#include <signal.h>
#include <sys/syscall.h>

#include "runtime/sched/scheduler.hpp"

namespace raddle {
namespace {
std::uint64_t g_kernel_mask;
void set_kernel_mask(std::uint64_t mask) {
  g_kernel_mask = mask;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask));
}
}  // namespace

std::uint64_t initial_mask() {
  std::uint64_t mask = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, 0, as_arg(&mask), sizeof(mask));
  g_kernel_mask = mask;
  return mask;
}
void use_mask_of(Thread& thread) {
  if (plan().carrier == CarrierKind::kKernel || g_kernel_mask == thread.mask) return;
  set_kernel_mask(thread.mask);
}
void block_all_signals() { std::uint64_t all = ~std::uint64_t{0}; raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&all), 0, sizeof(all)); }
void restore_signals() { std::uint64_t m = g_current->mask; raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&m), 0, sizeof(m)); }
bool deliver_signals(Thread& thread) { thread.signals = 0; return false; }
void route_process_signals() {}
void send_to_thread(Thread&, int) {}
void forget_signals() {}
void RuntimeScope::leave() { g_in_runtime = 0; }
}  // namespace raddle
