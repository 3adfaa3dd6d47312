// Signals of crashes: report, then the default action, so that the process dies as it would have.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "protocol/fault_address.hpp"
#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/carrier/crash_stack.hpp"
#include "target/outcome/home.hpp"
#include "target/outcome/outcome.hpp"
#include "target/snapshot/snapshot.hpp"
#include "target/snapshot/system_calls.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGABRT};

RADDLE_FORGOTTEN bool g_crashed;

void die_of(int signal) {
  restore_default_action(signal);
  std::uint64_t none = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&none), 0, sizeof(none));
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
}

// When there is no room on the stack for the frame of some other signal (the host's sample, say)
// the kernel forces a SIGSEGV, of the same form as one for an address that cannot exist. But then
// nothing is wrong yet: the thread goes on. A real one comes again and again at the same place; the
// other may, too, when signals come faster than instructions.
bool may_be_no_room_for_a_signal(int signal, const siginfo_t& info, const ucontext_t& context) {
  constexpr int kOften = 1000;
  static std::uint64_t last_pc, last_sp;
  static int times;
  if (signal != SIGSEGV || info.si_code != SI_KERNEL) return false;
  const auto pc = std::uint64_t(context.uc_mcontext.gregs[REG_RIP]);
  const auto sp = std::uint64_t(context.uc_mcontext.gregs[REG_RSP]);
  times = pc == last_pc && sp == last_sp ? times + 1 : 0;
  last_pc = pc;
  last_sp = sp;
  return times < kOften;
}

// The program called what is no code, such as a null pointer: no frame begins there. The stack does
// where it was called from, whose return address is all that the call left.
void step_back_into_caller(const siginfo_t& info, ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  if (std::uint64_t(registers[REG_RIP]) != reinterpret_cast<std::uint64_t>(info.si_addr)) return;
  std::uint64_t back = 0;
  const iovec ours{&back, sizeof(back)};
  const iovec stack{reinterpret_cast<void*>(registers[REG_RSP]), sizeof(back)};
  // Not by reading it here: it may as well be a stack that is not there.
  const long got = raw_syscall(SYS_process_vm_readv, raw_syscall(SYS_getpid), as_arg(&ours), 1,
                               as_arg(&stack), 1, 0);
  if (got != sizeof(back) || back == 0) return;
  registers[REG_RIP] = greg_t(back - 1);  // inside of the call, whose line it is
  registers[REG_RSP] += greg_t(sizeof(back));
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (is_watched_call(signal, *info, context)) return;
  if (signal == SIGSEGV && g_is_no_crash != nullptr &&
      g_is_no_crash(*info, *static_cast<ucontext_t*>(context)))
    return;
  if (may_be_no_room_for_a_signal(signal, *info, *static_cast<const ucontext_t*>(context))) return;
  // A second crash is one of our own reporting, on a stack that is beyond unwinding: keep what we
  // have.
  if (g_crashed || !g_active) die_of(signal);
  g_crashed = true;
  // Calls are watched no more. Where another thread shows its stack, a SIGSYS would begin at the
  // top of the signal stack, on which this handler is.
  touch_outside();
  if (signal == SIGSEGV) step_back_into_caller(*info, *static_cast<ucontext_t*>(context));
  Report& report = g_region->report;
  report.signal = signal;
  report.fault_address = signal == SIGSEGV && info->si_code == SI_KERNEL
                             ? kUnknownFaultAddress
                             : reinterpret_cast<std::uint64_t>(info->si_addr);
  bool aborted = signal == SIGABRT;
  publish(aborted ? OutcomeKind::kAssertion : OutcomeKind::kCrash, self(),
          aborted ? "SIGABRT" : "");
  return_home_from_crash();
  go_back_instead_of_ending(signal);
  die_of(signal);
}

}  // namespace

bool (*g_is_no_crash)(const siginfo_t& info, ucontext_t& context);

void restore_default_action(int signal) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  RADDLE_REAL(sigaction)(signal, &action, nullptr);
}

void install_crash_handlers() {
  install_crash_stack(make_crash_stack());
  for (int signal : kCrashSignals) {
    struct sigaction action{};
    RADDLE_REAL(sigaction)(signal, nullptr, &action);
    if (action.sa_handler == SIG_DFL) install_crash_handler(signal);  // else it is the program's
  }
}

void install_crash_handler(int signal) {
  struct sigaction action{};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  RADDLE_REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace raddle
