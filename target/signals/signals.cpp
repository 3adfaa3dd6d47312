#include "target/signals/signals.hpp"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/code/own_code.hpp"
#include "target/outcome/home.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_actions.hpp"
#include "target/signals/signal_queue.hpp"
#include "target/signals/signal_state.hpp"

namespace raddle {

namespace {

std::uint64_t g_signal_descriptors;  // signals that the program reads from a signalfd

bool takes(const Thread& thread, int signal) {
  return !thread.finished && (thread.mask & signal_bit(signal)) == 0;
}

// Who gets a signal to the process: the running thread if it does not mask it, else the first that
// does not or is in sigwait for it. Null: nobody yet, or one in sigwait, which takes it from the
// process.
Thread* choose_taker(int signal) {
  if (takes(self(), signal)) return &self();
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (takes(thread, signal)) return &thread;
    if (waits_for_signal(thread, signal)) return nullptr;
  }
  return nullptr;
}

// For real, so that the process ends (or stops) as it would have. The signals of crashes have a
// handler of ours in the kernel, which reports.
void take_default_action(int signal) {
  if (ends_process(signal)) {
    g_region->report.signal = signal;
    publish(OutcomeKind::kCrash, self(), "");
    return_home();
  }
  std::uint64_t one = signal_bit(signal);
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  if (signal == kSampleSignal) RADDLE_REAL(sigaction)(signal, &action, nullptr);
  std::uint64_t before = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, as_arg(&one), as_arg(&before), sizeof(one));
  outside_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
  set_kernel_mask(before);
}

void move_arrivals() {
  siginfo_t info;
  while (take_arrival(info)) send_signal(nullptr, info);
}

void call_handler(const struct sigaction& action, siginfo_t& info, std::uint64_t mask) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return action.sa_handler(info.si_signo);
  ucontext_t context;
  getcontext(&context);
  set_signal_bits(context.uc_sigmask, mask);
  action.sa_sigaction(info.si_signo, &info, &context);
}

// True if the interrupted call is to return EINTR.
bool run_handler(Thread& thread, siginfo_t info) {
  int signal = info.si_signo;
  struct sigaction action = program_action(signal);
  if (is_ignored(signal)) return false;
  if (action.sa_handler == SIG_DFL) {
    take_default_action(signal);
    return false;
  }
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction none{};
    none.sa_handler = SIG_DFL;
    change_action(signal, &none, nullptr);
  }
  std::uint64_t old_mask = thread.mask;
  std::uint64_t own = (action.sa_flags & SA_NODEFER) != 0 ? 0 : signal_bit(signal);
  set_mask(thread, old_mask | signal_bits(action.sa_mask) | own);
  ++thread.handlers_run;
  int saved_errno = errno;
  g_in_runtime = 0;
  call_handler(action, info, old_mask);
  g_in_runtime = 1;
  errno = saved_errno;
  set_mask(thread, old_mask);
  return (action.sa_flags & SA_RESTART) == 0;
}

}  // namespace

void on_program_signal(int signal, siginfo_t* info, void* data) {
  if (!g_active) {
    // Between a fork and its clean-up, or before the first decision: as without us.
    const struct sigaction& action = program_action(signal);
    if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction(signal, info, data);
    if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) action.sa_handler(signal);
    return;
  }
  auto& context = *static_cast<ucontext_t*>(data);
  note_arrival(*info);
  // Inside libc a lock may be held that another thread would need: later, as inside the runtime.
  if (g_in_runtime != 0 || thread_pointer() != g_current->thread_pointer ||
      !is_preemptible_code(std::uint64_t(context.uc_mcontext.gregs[REG_RIP]))) {
    return;
  }
  Thread& thread = self();
  g_kernel_mask = kUnknownMask;  // all are blocked here
  deliver_due_signals();
  apply_mask(thread);
  // Which the kernel restores now.
  set_signal_bits(context.uc_sigmask, kernel_mask_for(thread.mask));
}

namespace {

void forget_signals_of_execution() {
  g_signal_descriptors = 0;
  forget_queue();
}
RADDLE_FORGETS(forget_signals_of_execution)

}  // namespace

bool deliver_signals(Thread& thread) {
  bool interrupts = false;
  for (;;) {
    g_signals_due = false;
    move_arrivals();
    siginfo_t info;
    if (!dequeue(&thread, ~thread.mask, info)) break;
    interrupts |= run_handler(thread, info);
  }
  return interrupts;
}

void deliver_due_signals() {
  int saved_errno = errno;
  while (g_signals_due && g_active) {
    g_in_runtime = 1;
    deliver_signals(self());
    g_in_runtime = 0;
  }
  errno = saved_errno;
}

void route_process_signals() {
  move_arrivals();
  assign_queued(choose_taker);
}

siginfo_t signal_info(int signal, int code) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = pid_t(raw_syscall(SYS_getpid));
  info.si_uid = uid_t(raw_syscall(SYS_getuid));
  return info;
}

void send_to_thread(Thread& thread, int signal) {
  send_signal(&thread, signal_info(signal, SI_TKILL));
}

void set_mask(Thread& thread, std::uint64_t mask) {
  thread.mask = mask & ~(kReservedSignals | signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  if ((queued(nullptr) & ~thread.mask) != 0) assign_queued(choose_taker);
  if ((thread.signals & ~thread.mask) != 0) g_signals_due = true;
  apply_mask(thread);
}

TemporaryMask::TemporaryMask(const sigset_t* mask) : old_(self().mask), changed_(mask != nullptr) {
  if (changed_) set_mask(self(), signal_bits(*mask));
}

void TemporaryMask::restore() {
  if (changed_) set_mask(self(), old_);
}

std::uint64_t signal_bits(const sigset_t& set) {
  std::uint64_t bits;
  memcpy(&bits, &set, sizeof(bits));
  return bits;
}

void set_signal_bits(sigset_t& set, std::uint64_t bits) { memcpy(&set, &bits, sizeof(bits)); }

void use_signal_descriptor(std::uint64_t set) { g_signal_descriptors |= set; }

void send_signal(Thread* thread, const siginfo_t& info) {
  int signal = info.si_signo;
  if (signal == SIGKILL || signal == SIGSTOP) return take_default_action(signal);
  Thread* taker = thread != nullptr ? thread : choose_taker(signal);
  bool masked = taker == nullptr || !takes(*taker, signal);
  if (masked) {
    if ((g_signal_descriptors & signal_bit(signal)) != 0) {
      outside_syscall(SYS_rt_sigqueueinfo, raw_syscall(SYS_getpid), signal, as_arg(&info));
      return outside_changed();
    }
  } else {
    if (is_ignored(signal)) return;
    if (program_action(signal).sa_handler == SIG_DFL) return take_default_action(signal);
  }
  enqueue(taker, thread == nullptr, info);
  if (masked) outside_changed();
}

void forget_signals() {
  restore_actions();
  forget_queue();
}

}  // namespace raddle
