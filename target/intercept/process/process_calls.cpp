// fork and the waits for children. A child is not controlled: it goes on natively, on the stack of
// the thread that forked. Children started by posix_spawn, system and popen are libc's business;
// but they inherit descriptors.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/control/control.hpp"
#include "target/control/counter.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/sched/clock.hpp"
#include "target/state/uncontrolled.hpp"

namespace raddle {
namespace {

// glibc's fork takes the calling thread out of its list of threads in the child. A fiber is in
// none; this makes it a list of its own.
void link_thread_block() {
  static const std::uint32_t* field;  // {bits, count, offset}
  if (field == nullptr) {
    field = static_cast<const std::uint32_t*>(
        dlvsym(RTLD_DEFAULT, "_thread_db_pthread_list", "GLIBC_PRIVATE"));
  }
  if (field == nullptr) return;
  struct Links {
    Links* next;
    Links* prev;
  };
  auto* links = reinterpret_cast<Links*>(static_cast<char*>(thread_pointer()) + field[2]);
  if (links->next == nullptr) links->next = links->prev = links;
}

void before_child() {
  note_child();
  share_descriptors();
  link_thread_block();
}

// Before the program's own handlers in the child, as ours is registered first.
void in_child() {
  if (g_active) lose_control();
  untrap_counter();  // by a constructor
}

__attribute__((constructor)) void watch_forks() { pthread_atfork(nullptr, nullptr, in_child); }

struct ChildWait {
  idtype_t type;
  id_t id;
  int options;
  bool no_wait;  // it only looks
};

// Is there a child to report, or none to wait for? Leaves it as it is.
bool child_ready(Thread& t) {
  const auto& call = *reinterpret_cast<const ChildWait*>(t.wait_data);
  siginfo_t info{};
  long result = outside_syscall(SYS_waitid, call.type, call.id, as_arg(&info),
                                call.options | WNOHANG | WNOWAIT, 0);
  return result != 0 || info.si_pid != 0;
}

// A descriptor that becomes readable when the child ends, out of the way of the program's own
// numbers; or -1.
int child_descriptor(const ChildWait& call) {
  if (call.type != P_PID) return -1;
  long low = outside_syscall(SYS_pidfd_open, long(call.id), 0);
  if (low < 0) return -1;
  long high = outside_syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, 900);
  if (high < 0) return int(low);
  outside_syscall(SYS_close, low);
  return int(high);
}

// 0 when the real call can be made, EINTR, or EAGAIN: there is nothing to report yet.
int wait_for_child(const ChildWait& call, std::uint64_t site) {
  bool only_exits = (call.options & (WSTOPPED | WCONTINUED)) == 0 && !call.no_wait;
  pollfd entry{only_exits ? child_descriptor(call) : -1, POLLIN, 0};
  StepOutcome outcome = wait({.op = OpKind::child_wait,
                              .ready = child_ready,
                              .data = reinterpret_cast<std::int64_t>(&call),
                              .deadline = call.no_wait ? virtual_now() : kNoDeadline,
                              .interruptible = true,
                              .cancellable = true,
                              .polled = true,
                              .external = true,
                              .fds = &entry,
                              .fd_count = entry.fd >= 0 ? 1U : 0U,
                              .site = site});
  if (entry.fd >= 0) outside_syscall(SYS_close, entry.fd);
  if (outcome == StepOutcome::kCancelled) cancel_now();
  if (outcome == StepOutcome::kTimeout) return EAGAIN;
  return outcome == StepOutcome::kInterrupted && !call.no_wait ? EINTR : 0;
}

ChildWait as_waitid(pid_t pid, int options) {
  int states = WEXITED | (options & (WUNTRACED | WCONTINUED | __WALL | __WCLONE | __WNOTHREAD));
  bool no_wait = (options & WNOHANG) != 0;
  if (pid > 0) return {P_PID, id_t(pid), states, no_wait};
  if (pid == -1) return {P_ALL, 0, states, no_wait};
  return {P_PGID, pid == 0 ? id_t(0) : id_t(-pid), states, no_wait};
}

pid_t wait_for(pid_t pid, int* status, int options, rusage* usage, std::uint64_t site) {
  ChildWait call = as_waitid(pid, options);
  int error = wait_for_child(call, site);
  if (error == EAGAIN) return 0;
  if (error != 0) return pid_t(with_errno(-error));
  // In a kernel that has just shown the child to be there this does not wait.
  return pid_t(with_errno(outside_syscall(SYS_wait4, pid, as_arg(status), options, as_arg(usage))));
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT pid_t fork() noexcept {
  // Not inside the runtime: the program's atfork handlers are its own code.
  if (controlled()) before_child();
  if (passes_control()) note_child();
  return RADDLE_REAL(fork)();
}

// A child that shares our memory would run on the stack that the others switch from; fork's copy
// behaves the same for all that vfork allows.
RADDLE_EXPORT pid_t vfork() noexcept { return fork(); }

RADDLE_EXPORT pid_t _Fork() noexcept {
  if (!controlled()) return RADDLE_REAL(_Fork)();
  before_child();
  pid_t pid = RADDLE_REAL(_Fork)();
  if (pid == 0) lose_control();
  return pid;
}

namespace {

// Before a call that starts a process and execs in it; `command` is what it starts.
template <class Command>
void before_spawn(Command command) {
  if (controlled()) share_descriptors();
  if (!g_active && !passes_control()) return;
  note_child();
  name_last_child(command);
}

}  // namespace

RADDLE_EXPORT int posix_spawn(pid_t* pid, const char* path,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* arguments,
                              char* const* environment) {
  before_spawn(arguments);
  const CounterUntrapped untrapped;
  return RADDLE_REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

RADDLE_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* arguments,
                               char* const* environment) {
  before_spawn(arguments);
  const CounterUntrapped untrapped;
  return RADDLE_REAL(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
}

RADDLE_EXPORT FILE* popen(const char* command, const char* mode) {
  before_spawn(command);
  const CounterUntrapped untrapped;
  return RADDLE_REAL(popen)(command, mode);
}

RADDLE_EXPORT int system(const char* command) {
  before_spawn(command);
  const CounterUntrapped untrapped;
  return RADDLE_REAL(system)(command);
}

// A thread made this way has neither a pthread nor thread-locals of its own: it cannot be
// controlled.
RADDLE_EXPORT int clone(int (*start)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list list;
  va_start(list, argument);
  pid_t* parent_id = va_arg(list, pid_t*);
  void* tls = va_arg(list, void*);
  pid_t* child_id = va_arg(list, pid_t*);
  va_end(list);
  if (g_active && (flags & CLONE_THREAD) != 0) note_clone();
  const CounterUntrapped untrapped;
  return RADDLE_REAL(clone)(start, stack, flags, argument, parent_id, tls, child_id);
}

RADDLE_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  if (!controlled()) return RADDLE_REAL(waitpid)(pid, status, options);
  RuntimeScope scope;
  return wait_for(pid, status, options, nullptr, RADDLE_SITE);
}

RADDLE_EXPORT pid_t __waitpid(pid_t pid, int* status, int options) {
  if (!controlled()) return RADDLE_REAL(waitpid)(pid, status, options);
  RuntimeScope scope;
  return wait_for(pid, status, options, nullptr, RADDLE_SITE);
}

RADDLE_EXPORT pid_t wait(int* status) {
  if (!controlled()) return RADDLE_REAL(waitpid)(-1, status, 0);
  RuntimeScope scope;
  return wait_for(-1, status, 0, nullptr, RADDLE_SITE);
}

RADDLE_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  if (!controlled()) return RADDLE_REAL(wait3)(status, options, usage);
  RuntimeScope scope;
  return wait_for(-1, status, options, usage, RADDLE_SITE);
}

RADDLE_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  if (!controlled()) return RADDLE_REAL(wait4)(pid, status, options, usage);
  RuntimeScope scope;
  return wait_for(pid, status, options, usage, RADDLE_SITE);
}

RADDLE_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (!controlled()) return RADDLE_REAL(waitid)(type, id, info, options);
  RuntimeScope scope;
  ChildWait call{type, id, options & ~(WNOHANG | WNOWAIT), (options & WNOHANG) != 0};
  int error = wait_for_child(call, RADDLE_SITE);
  if (error == EAGAIN) {
    if (info != nullptr) info->si_pid = info->si_signo = 0;
    return 0;
  }
  if (error != 0) return int(with_errno(-error));
  return int(with_errno(outside_syscall(SYS_waitid, type, id, as_arg(info), options, 0)));
}
