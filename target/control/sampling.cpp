// The sample signal. The host sends it to the running thread when the steps stand still, and when
// it wants the execution to end. The handler:
//
//  - ends the execution, if the host asks for that;
//  - leaves the thread alone in libc, the loader and the runtime;
//  - delivers signals of the program that came while the thread was inside libc;
//  - lets other threads run, where the thread itself says that it has looked at the time-stamp
//    counter for long enough (counter.hpp);
//  - asks whether the thread only waits (waiting/waiting.hpp), and makes that a decision point.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "target/carrier/signal_mask.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/control/control.hpp"
#include "target/control/counter.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

// Samples handled one in another would fill the stack, so the signal is blocked in its handler; but
// not while other threads run from there.
void allow_samples() {
  const std::uint64_t sample = signal_bit(kSampleSignal);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, as_arg(&sample), 0, sizeof(sample));
}

void on_sample(int, siginfo_t*, void* data) {
  if (!on_controlled_thread()) return;
  auto& context = *static_cast<ucontext_t*>(data);
  auto pc = std::uint64_t(context.uc_mcontext.gregs[REG_RIP]);
  const bool gives_way = counter_gives_way();
  if (g_in_runtime != 0) return;
  if (g_region->live.give_up.load(std::memory_order_relaxed) != 0) {
    g_in_runtime = 1;
    give_up_if_asked();
  }
  if (!gives_way && (in_hooks(pc) || is_preemptible_code(pc))) watch_hooks();
  if (!is_preemptible_code(pc)) return;
  if (g_signals_due) {
    allow_samples();
    deliver_due_signals();
  }
  if (!gives_way && !sample_shows_waiting(context)) return;
  int saved_errno = errno;
  RuntimeScope scope;
  allow_samples();
  // The site is the loop itself, wherever in it the sample fell: the function is what a reader
  // needs.
  self().interrupted = std::uintptr_t(context.uc_mcontext.gregs[REG_RSP]);
  decide(gives_way ? OpKind::yield : OpKind::spin, nullptr, pc);
  self().interrupted = 0;
  errno = saved_errno;
}

}  // namespace

void install_sample_handler() {
  struct sigaction action{};
  action.sa_sigaction = on_sample;
  // Not on the alternate stack: another thread may run while this one is parked in the handler.
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  RADDLE_REAL(sigaction)(kSampleSignal, &action, nullptr);
}

void ignore_samples() {
  struct sigaction action{};
  action.sa_handler = SIG_IGN;
  RADDLE_REAL(sigaction)(kSampleSignal, &action, nullptr);
}

}  // namespace raddle
