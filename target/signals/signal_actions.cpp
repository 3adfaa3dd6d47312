// What the program wants done with each signal, and what the kernel is told. Handlers of the
// program are wrapped; those for crashes are not, since a fault cannot wait; and while the program
// has the default action for a crash, the kernel has our report.
#include <errno.h>
#include <string.h>

#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/code/own_code.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_actions.hpp"
#include "target/signals/signal_queue.hpp"
#include "target/signals/signal_state.hpp"

namespace raddle {
namespace {

struct sigaction g_actions[kSignals + 1];

constexpr std::uint64_t kCrashes = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) |
                                   signal_bit(SIGILL) | signal_bit(SIGSYS) | signal_bit(SIGTRAP) |
                                   signal_bit(SIGABRT);

bool is_crash(int signal) { return (kCrashes & signal_bit(signal)) != 0; }

bool has_handler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void tell_kernel(int signal, const struct sigaction& action) {
  if (signal == kSampleSignal) return;
  if (signal == SIGSEGV && g_counter_trapped) return;  // control/counter.hpp
  g_changed_actions |= signal_bit(signal);
  if (!has_handler(action) || is_crash(signal)) {
    struct sigaction unwrapped = action;
    set_signal_bits(unwrapped.sa_mask, kernel_mask_for(signal_bits(action.sa_mask)));
    RADDLE_REAL(sigaction)(signal, &unwrapped, nullptr);
    if (is_crash(signal) && action.sa_handler == SIG_DFL) install_crash_handlers();
    return;
  }
  struct sigaction wrapped{};
  wrapped.sa_sigaction = on_program_signal;
  wrapped.sa_flags = SA_SIGINFO | (action.sa_flags & (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT));
  set_signal_bits(wrapped.sa_mask, ~(kCrashes | kReservedSignals));
  RADDLE_REAL(sigaction)(signal, &wrapped, nullptr);
}

bool ignores_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool reserved_by_libc(int signal) { return signal == 32 || signal == 33; }

}  // namespace

const struct sigaction& program_action(int signal) { return g_actions[signal]; }

bool ends_process(int signal) {
  constexpr std::uint64_t kStops =
      signal_bit(SIGSTOP) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU);
  return ((kStops | kCrashes) & signal_bit(signal)) == 0 && !ignores_by_default(signal);
}

bool is_ignored(int signal) {
  const struct sigaction& action = g_actions[signal];
  return action.sa_handler == SIG_IGN ||
         (action.sa_handler == SIG_DFL && ignores_by_default(signal));
}

int change_action(int signal, const struct sigaction* action, struct sigaction* old) {
  if (signal < 1 || signal > kSignals || reserved_by_libc(signal)) return EINVAL;
  if (action != nullptr && (signal == SIGKILL || signal == SIGSTOP)) return EINVAL;
  struct sigaction before = g_actions[signal];
  if (action != nullptr) {
    g_actions[signal] = *action;
    tell_kernel(signal, *action);
    if (is_ignored(signal)) discard_queued(signal);
  }
  if (old != nullptr) *old = before;
  return 0;
}

void adopt_actions() {
  for (int signal = 1; signal <= kSignals; ++signal) {
    if (reserved_by_libc(signal)) continue;
    struct sigaction& action = g_actions[signal];
    RADDLE_REAL(sigaction)(signal, nullptr, &action);
    bool ours =
        has_handler(action) && is_own_code(reinterpret_cast<std::uint64_t>(action.sa_handler));
    if (ours) action = {};
    if (has_handler(action) && !is_crash(signal)) tell_kernel(signal, action);
  }
}

void restore_actions() {
  for (int signal = 1; signal <= kSignals; ++signal) {
    if (reserved_by_libc(signal) || signal == SIGKILL || signal == SIGSTOP) continue;
    if (has_handler(g_actions[signal]) || is_crash(signal)) {
      RADDLE_REAL(sigaction)(signal, &g_actions[signal], nullptr);
    } else if (signal == kSampleSignal) {
      // One that the host sent a moment ago may still come; the default would end the process.
      struct sigaction ignore{};
      ignore.sa_handler = SIG_IGN;
      RADDLE_REAL(sigaction)(signal, &ignore, nullptr);
    }
  }
}

}  // namespace raddle
