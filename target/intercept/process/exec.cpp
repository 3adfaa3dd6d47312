// exec: the process becomes another program.
//
//  - In a launcher (protocol/launchers.hpp: a shell, env, nice) the runtime is passive, and the
//    program that follows gets what the host gave us: it will be controlled as if the host had
//    started it.
//  - In a program under control that is the end of control. The sample signal must not kill what
//    follows, and the host learns its name.
//  - In a forked child, which nobody controls, the host learns the name.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/base/counter_trap.hpp"
#include "target/connection/control_pipe.hpp"
#include "target/control/control.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/uncontrolled.hpp"

namespace raddle {
namespace {

bool is_executable(const char* path) { return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0; }

// As execvp() looks for it.
bool can_be_found(const char* file) {
  if (strchr(file, '/') != nullptr) return is_executable(file);
  const char* folders = getenv("PATH");
  if (folders == nullptr) folders = "/bin:/usr/bin";
  for (;;) {
    const char* end = strchrnul(folders, ':');
    char path[PATH_MAX];
    const auto length = std::size_t(end - folders);
    if (length + 1 + strlen(file) < sizeof(path)) {
      memcpy(path, folders, length);
      path[length] = '/';
      strcpy(path + length + (length > 0 ? 1 : 0), file);
      if (is_executable(path)) return true;
    }
    if (*end == 0) return false;
    folders = end + 1;
  }
}

// The real call, whichever it is, in the environment that the program wants or in ours.
template <class Real>
int become(bool possible, char* const* arguments, char* const* environment, Real real) {
  if (passes_control()) {
    const int failed = real(launched_environment(environment));
    const int why = errno;
    launch_failed();
    errno = why;
    return failed;
  }
  if (!g_active) {
    name_child(arguments);
    const CounterUntrapped untrapped;
    return real(environment);
  }
  if (!controlled() || !possible || g_in_process) {
    const CounterUntrapped untrapped;
    return real(environment);
  }
  RuntimeScope scope;
  decide(OpKind::process_exit, nullptr, 0);
  log_end(false);
  share_descriptors();
  note_replacement(arguments);
  ignore_samples();
  g_region->live.state.store(RunState::kReplaced, std::memory_order_release);
  int result;
  {
    const CounterUntrapped untrapped;
    result = real(environment);
  }
  const int error = errno;
  g_region->live.state.store(RunState::kRunning, std::memory_order_release);
  install_sample_handler();
  forget_replacement();
  errno = error;
  return result;
}

constexpr int kMostArguments = 1024;

// The arguments of execl() and its kin, up to the null pointer.
void gather(const char* first, va_list list, char** arguments) {
  int count = 0;
  for (const char* next = first; next != nullptr && count < kMostArguments;
       next = va_arg(list, const char*)) {
    arguments[count++] = const_cast<char*>(next);
  }
  arguments[count] = nullptr;
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int execve(const char* path, char* const* arguments,
                         char* const* environment) noexcept {
  return become(is_executable(path), arguments, environment, [&](char* const* variables) {
    return RADDLE_REAL(execve)(path, arguments, variables);
  });
}

RADDLE_EXPORT int execvpe(const char* file, char* const* arguments,
                          char* const* environment) noexcept {
  return become(can_be_found(file), arguments, environment, [&](char* const* variables) {
    return RADDLE_REAL(execvpe)(file, arguments, variables);
  });
}

RADDLE_EXPORT int execv(const char* path, char* const* arguments) noexcept {
  return execve(path, arguments, environ);
}

RADDLE_EXPORT int execvp(const char* file, char* const* arguments) noexcept {
  return execvpe(file, arguments, environ);
}

RADDLE_EXPORT int fexecve(int fd, char* const* arguments, char* const* environment) noexcept {
  return become(true, arguments, environment, [&](char* const* variables) {
    return RADDLE_REAL(fexecve)(fd, arguments, variables);
  });
}

RADDLE_EXPORT int execl(const char* path, const char* argument, ...) noexcept {
  char* arguments[kMostArguments + 1];
  va_list list;
  va_start(list, argument);
  gather(argument, list, arguments);
  va_end(list);
  return execve(path, arguments, environ);
}

RADDLE_EXPORT int execlp(const char* file, const char* argument, ...) noexcept {
  char* arguments[kMostArguments + 1];
  va_list list;
  va_start(list, argument);
  gather(argument, list, arguments);
  va_end(list);
  return execvpe(file, arguments, environ);
}

RADDLE_EXPORT int execle(const char* path, const char* argument, ...) noexcept {
  char* arguments[kMostArguments + 1];
  va_list list;
  va_start(list, argument);
  gather(argument, list, arguments);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, arguments, environment);
}
