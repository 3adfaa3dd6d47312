// Signals that are pending: in the runtime's queue, or masked in the kernel.
#include <sys/syscall.h>
#include <time.h>

#include "target/base/kernel_state.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_queue.hpp"
#include "target/signals/signal_state.hpp"

namespace raddle {
namespace {

std::uint64_t kernel_pending() {
  std::uint64_t pending = 0;
  raw_syscall(SYS_rt_sigpending, as_arg(&pending), sizeof(pending));
  return pending & ~kReservedSignals;
}

}  // namespace

bool sigwait_ready(Thread& t) {
  return has_pending(t, std::uint64_t(t.wait_data)) ||
         t.handlers_run != std::uint32_t(t.wait_data2);
}
bool waits_for_signal(const Thread& thread, int signal) {
  return !thread.finished && &thread != g_current && thread.ready == sigwait_ready &&
         (std::uint64_t(thread.wait_data) & signal_bit(signal)) != 0;
}

std::uint64_t pending_signals(const Thread& thread) {
  return (queued(&thread) | queued(nullptr) | kernel_pending()) & thread.mask;
}

bool has_pending(const Thread& thread, std::uint64_t set) {
  return ((queued(&thread) | queued(nullptr)) & set) != 0 || (kernel_pending() & set) != 0;
}

int take_pending(std::uint64_t set, siginfo_t* info) {
  siginfo_t taken{};
  if (!dequeue(&self(), set, taken) && !dequeue(nullptr, set, taken)) {
    timespec now{};
    long signal = outside_syscall(SYS_rt_sigtimedwait, as_arg(&set), as_arg(&taken), as_arg(&now),
                                  sizeof(set));
    if (signal <= 0) return 0;
  }
  if (info != nullptr) *info = taken;
  return taken.si_signo;
}

void adopt_kernel_signal(int signal) {
  std::uint64_t set = signal_bit(signal);
  timespec now{};
  siginfo_t info{};
  if (outside_syscall(SYS_rt_sigtimedwait, as_arg(&set), as_arg(&info), as_arg(&now), sizeof(set)) >
      0) {
    enqueue(&self(), false, info);
  }
}

}  // namespace raddle
