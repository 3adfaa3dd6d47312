// sigaction, masks, and sending signals.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/control/counter.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/intercept/threads/thread_attributes.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_state.hpp"

extern "C" {
sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept;
[[noreturn]] void __longjmp_chk(__jmp_buf_tag* env, int value) noexcept;
}

namespace raddle {
namespace {

std::uint64_t g_interrupting;  // siginterrupt(): signal() does not restart calls for these

// Signals that arrive while the action changes wait, also when a nested call changes it.
class ActionScope {
 public:
  ActionScope() : nested_(!controlled()) {
    if (!nested_) g_in_runtime = 1;
  }
  ~ActionScope() {
    if (!nested_) RuntimeScope::leave();
  }

 private:
  bool nested_;
};

int action_call(int signal, const struct sigaction* action, struct sigaction* old) {
  if (!g_active) {
    if (signal == SIGSEGV) untrap_counter();  // of constructors
    return RADDLE_REAL(sigaction)(signal, action, old);
  }
  ActionScope scope;
  return int(with_errno(-change_action(signal, action, old)));
}

sighandler_t simple_action(int signal, sighandler_t handler, int flags, bool block_itself) {
  struct sigaction action{};
  struct sigaction old{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (block_itself && signal >= 1 && signal <= kSignals)
    set_signal_bits(action.sa_mask, signal_bit(signal));
  return action_call(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

int mask_call(int how, const sigset_t* set, sigset_t* old) {
  Thread& thread = self();
  std::uint64_t before = thread.mask;
  if (set != nullptr) {
    std::uint64_t bits = signal_bits(*set);
    switch (how) {
      case SIG_BLOCK:
        set_mask(thread, before | bits);
        break;
      case SIG_UNBLOCK:
        set_mask(thread, before & ~bits);
        break;
      case SIG_SETMASK:
        set_mask(thread, bits);
        break;
      default:
        return EINVAL;
    }
  }
  if (old != nullptr) {
    memset(old, 0, sizeof(*old));
    set_signal_bits(*old, before);
  }
  return 0;
}

// A mask for the kernel, from a thread that is not controlled, or not for now.
class KernelMask {
 public:
  KernelMask(int how, const sigset_t* set) : set_(set) {
    if (!g_counter_trapped || set == nullptr || how == SIG_UNBLOCK) return;
    changed_ = *set;
    set_signal_bits(changed_, kernel_mask_for(signal_bits(*set)));
    set_ = &changed_;
  }
  const sigset_t* get() const { return set_; }

 private:
  const sigset_t* set_;
  sigset_t changed_;
};

// A siginfo_t for a signal with a value, as sigqueue makes it.
siginfo_t queued_info(int signal, sigval value) {
  siginfo_t info = signal_info(signal, SI_QUEUE);
  info.si_value = value;
  return info;
}

int send_to_self(const siginfo_t& info, std::uint64_t site) {
  if (info.si_signo < 0 || info.si_signo > kSignals) return EINVAL;
  decide(OpKind::signal_send, nullptr, site);
  if (info.si_signo != 0) send_signal(nullptr, info);
  return 0;
}

int send_to(pthread_t handle, const siginfo_t& info, std::uint64_t site) {
  if (info.si_signo < 0 || info.si_signo > kSignals || info.si_signo == 32 || info.si_signo == 33)
    return EINVAL;
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  decide(OpKind::signal_send, &thread->self, site);
  if (info.si_signo != 0 && !thread->finished) send_signal(thread, info);
  return 0;
}

bool is_this_process(pid_t pid) { return pid > 0 && pid == pid_t(raw_syscall(SYS_getpid)); }

// Before the jump restores a mask in the kernel, behind our back.
void note_jump(const __jmp_buf_tag* env) {
  if (!controlled() || env->__mask_was_saved == 0) return;
  RuntimeScope scope;
  set_mask(self(), signal_bits(env->__saved_mask));
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int sigaction(int signal, const struct sigaction* action,
                            struct sigaction* old) noexcept {
  return action_call(signal, action, old);
}
RADDLE_EXPORT int __sigaction(int signal, const struct sigaction* action,
                              struct sigaction* old) noexcept {
  return action_call(signal, action, old);
}

RADDLE_EXPORT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  bool interrupts = signal >= 1 && signal <= kSignals && (g_interrupting & signal_bit(signal)) != 0;
  return simple_action(signal, handler, interrupts ? 0 : SA_RESTART, true);
}
RADDLE_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}
RADDLE_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}
RADDLE_EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  return simple_action(signal, handler, int(SA_RESETHAND | SA_NODEFER), false);
}
RADDLE_EXPORT sighandler_t sysv_signal(int signal, sighandler_t handler) noexcept {
  return __sysv_signal(signal, handler);
}

RADDLE_EXPORT int siginterrupt(int signal, int interrupts) noexcept {
  struct sigaction action{};
  if (action_call(signal, nullptr, &action) != 0) return -1;
  g_interrupting =
      interrupts != 0 ? g_interrupting | signal_bit(signal) : g_interrupting & ~signal_bit(signal);
  action.sa_flags = interrupts != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return action_call(signal, &action, nullptr);
}

RADDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_sigmask)(how, KernelMask(how, set).get(), old);
  RuntimeScope scope;
  return mask_call(how, set, old);
}

RADDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!controlled()) return RADDLE_REAL(sigprocmask)(how, KernelMask(how, set).get(), old);
  RuntimeScope scope;
  return int(with_errno(-mask_call(how, set, old)));
}

RADDLE_EXPORT int sigpending(sigset_t* set) noexcept {
  if (!controlled()) return RADDLE_REAL(sigpending)(set);
  RuntimeScope scope;
  memset(set, 0, sizeof(*set));
  set_signal_bits(*set, pending_signals(self()));
  return 0;
}

// System V's names for the same.
RADDLE_EXPORT int sighold(int signal) noexcept {
  sigset_t set;
  sigemptyset(&set);
  return sigaddset(&set, signal) != 0 ? -1 : sigprocmask(SIG_BLOCK, &set, nullptr);
}
RADDLE_EXPORT int sigrelse(int signal) noexcept {
  sigset_t set;
  sigemptyset(&set);
  return sigaddset(&set, signal) != 0 ? -1 : sigprocmask(SIG_UNBLOCK, &set, nullptr);
}
RADDLE_EXPORT int sigignore(int signal) noexcept {
  return simple_action(signal, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
}

RADDLE_EXPORT int pthread_kill(pthread_t thread, int signal) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_kill)(thread, signal);
  RuntimeScope scope;
  return send_to(thread, signal_info(signal, SI_TKILL), RADDLE_SITE);
}

RADDLE_EXPORT int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_sigqueue)(thread, signal, value);
  RuntimeScope scope;
  return send_to(thread, queued_info(signal, value), RADDLE_SITE);
}

RADDLE_EXPORT int raise(int signal) noexcept {
  if (!controlled()) return RADDLE_REAL(raise)(signal);
  RuntimeScope scope;
  return int(with_errno(-send_to(self().handle, signal_info(signal, SI_TKILL), RADDLE_SITE)));
}

RADDLE_EXPORT int kill(pid_t pid, int signal) noexcept {
  if (!controlled()) return RADDLE_REAL(kill)(pid, signal);
  RuntimeScope scope;
  if (is_this_process(pid))
    return int(with_errno(-send_to_self(signal_info(signal, SI_USER), RADDLE_SITE)));
  decide(OpKind::signal_send, nullptr, RADDLE_SITE);
  return int(with_errno(outside_syscall(SYS_kill, pid, signal)));
}

RADDLE_EXPORT int sigqueue(pid_t pid, int signal, const sigval value) noexcept {
  if (!controlled()) return RADDLE_REAL(sigqueue)(pid, signal, value);
  RuntimeScope scope;
  if (is_this_process(pid))
    return int(with_errno(-send_to_self(queued_info(signal, value), RADDLE_SITE)));
  decide(OpKind::signal_send, nullptr, RADDLE_SITE);
  return RADDLE_REAL(sigqueue)(pid, signal, value);
}

// All fibers have the same kernel id: one that names it means itself.
RADDLE_EXPORT int tgkill(pid_t process, pid_t tid, int signal) noexcept {
  if (!controlled() || !is_this_process(process)) return RADDLE_REAL(tgkill)(process, tid, signal);
  RuntimeScope scope;
  Thread* target =
      thread_of_tid(tid);  // the program knows threads by the ids that our gettid gives
  if (target == nullptr) return int(with_errno(-ESRCH));
  return int(with_errno(-send_to(target->handle, signal_info(signal, SI_TKILL), RADDLE_SITE)));
}

RADDLE_EXPORT int signalfd(int fd, const sigset_t* mask, int flags) noexcept {
  int result = RADDLE_REAL(signalfd)(fd, mask, flags);
  if (result >= 0 && g_active) use_signal_descriptor(signal_bits(*mask));
  return result;
}

RADDLE_EXPORT void siglongjmp(__jmp_buf_tag* env, int value) noexcept {
  note_jump(env);
  RADDLE_REAL(siglongjmp)(env, value);
  __builtin_unreachable();
}
RADDLE_EXPORT void longjmp(__jmp_buf_tag* env, int value) noexcept {
  note_jump(env);
  RADDLE_REAL(longjmp)(env, value);
  __builtin_unreachable();
}
RADDLE_EXPORT void _longjmp(__jmp_buf_tag* env, int value) noexcept {
  note_jump(env);
  RADDLE_REAL(_longjmp)(env, value);
  __builtin_unreachable();
}
RADDLE_EXPORT void __longjmp_chk(__jmp_buf_tag* env, int value) noexcept {
  note_jump(env);
  RADDLE_REAL(__longjmp_chk)(env, value);
  __builtin_unreachable();
}
