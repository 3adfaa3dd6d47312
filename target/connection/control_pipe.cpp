#include "target/connection/control_pipe.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "target/base/base.hpp"
#include "target/connection/positions.hpp"

namespace raddle {
namespace {

int g_in = -1;
int g_out = -1;

void send(ServerMessage::Kind kind, int pid, int status) {
  if (g_out < 0) return;
  ServerMessage message{kind, pid, status};
  raw_syscall(SYS_write, g_out, as_arg(&message), sizeof(message));
}

// Raddle's variables as they came, "NAME=value", for launched_environment().
constexpr const char* kVariables[] = {"LD_PRELOAD",     "LD_BIND_NOW",   kPreloadVariable,
                                      kBindNowVariable, kRegionVariable, kControlVariable};
constexpr std::size_t kVariableCount = sizeof(kVariables) / sizeof(kVariables[0]);
char* g_variables[kVariableCount];

void keep_variables() {
  for (std::size_t i = 0; i < kVariableCount; ++i) {
    const char* value = getenv(kVariables[i]);
    if (value == nullptr) continue;
    const std::size_t bytes = strlen(kVariables[i]) + strlen(value) + 2;
    g_variables[i] = static_cast<char*>(arena_allocate(bytes));
    strcpy(g_variables[i], kVariables[i]);
    strcat(g_variables[i], "=");
    strcat(g_variables[i], value);
  }
}

bool is_variable(const char* entry, const char* name) {
  const std::size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

bool is_ours(const char* entry) {
  for (const char* name : kVariables)
    if (is_variable(entry, name)) return true;
  return false;
}

// "NAME=first" or "NAME=first:second", in the arena.
char* joined(const char* name, const char* first, const char* second) {
  const std::size_t bytes = strlen(name) + strlen(first) + strlen(second) + 3;
  char* entry = static_cast<char*>(arena_allocate(bytes));
  strcpy(entry, name);
  strcat(entry, "=");
  strcat(entry, first);
  if (*first != 0 && *second != 0) strcat(entry, ":");
  strcat(entry, second);
  return entry;
}

void keep_across_exec(bool keep) {
  for (int fd : {g_in, g_out})
    if (fd >= 0) fcntl(fd, F_SETFD, keep ? 0 : FD_CLOEXEC);
}

// Our library, the first of what the host preloaded.
const char* own_library() {
  const char* value = strchr(g_variables[0], '=') + 1;
  const std::size_t length = strcspn(value, ":");
  char* library = static_cast<char*>(arena_allocate(length + 1));
  memcpy(library, value, length);
  return library;
}

void restore_environment() {
  const char* original = getenv(kPreloadVariable);
  if (original != nullptr) {
    setenv("LD_PRELOAD", original, 1);
  } else {
    unsetenv("LD_PRELOAD");
  }
  if (getenv(kBindNowVariable) != nullptr) unsetenv("LD_BIND_NOW");
  unsetenv(kBindNowVariable);
  unsetenv(kPreloadVariable);
  unsetenv(kRegionVariable);
  unsetenv(kControlVariable);
}

// Each execution reads its input from the beginning: forks share the file's position.
void rewind_input() {
  struct stat info{};
  if (fstat(0, &info) != 0 || !S_ISREG(info.st_mode)) return;
  int fd = int(raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/fd/0"), O_RDONLY));
  if (fd < 0) return;
  raw_syscall(SYS_dup3, fd, 0, 0);
  raw_syscall(SYS_close, fd);
}

// Where the host captures output, it made the server a leader of its process group: then each
// execution gets a group of its own, so that the host can end whatever an execution leaves behind.
void leave_server_group() {
  if (raw_syscall(SYS_getpgid, 0) == raw_syscall(SYS_getppid)) raw_syscall(SYS_setpgid, 0, 0);
}

void stop_reading() {
  raw_syscall(SYS_close, g_in);
  g_in = -1;
}

}  // namespace

SharedRegion* connect_to_host() {
  const char* path = getenv(kRegionVariable);
  if (path == nullptr) return nullptr;
  long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg(path), O_RDWR | O_CLOEXEC);
  if (fd < 0) fatal("cannot open the region that the host prepared; is /proc mounted?");
  struct stat info{};
  fstat(int(fd), &info);
  long mapped = raw_syscall(SYS_mmap, 0, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  raw_syscall(SYS_close, fd);
  if (mapped < 0 && mapped > -4096) fatal("cannot map the region that the host prepared");
  auto* region = reinterpret_cast<SharedRegion*>(mapped);
  if (region->magic != kRegionMagic || region->version != kRegionVersion ||
      region->header_size != sizeof(SharedRegion)) {
    fatal("raddle and libraddle.so are of different builds; install them together");
  }
  if (const char* control = getenv(kControlVariable)) {
    char* rest = nullptr;
    g_in = int(strtol(control, &rest, 10));
    g_out = *rest == ',' ? int(strtol(rest + 1, nullptr, 10)) : -1;
    fcntl(g_in, F_SETFD, FD_CLOEXEC);
    fcntl(g_out, F_SETFD, FD_CLOEXEC);
  }
  keep_variables();
  restore_environment();
  return region;
}

char* const* launched_environment(char* const* environment) {
  std::size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  auto** result = static_cast<char**>(arena_allocate((count + kVariableCount + 1) * sizeof(char*)));
  const char* preload = "";
  const char* bind_now = nullptr;
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_variable(environment[i], "LD_PRELOAD")) preload = strchr(environment[i], '=') + 1;
    if (is_variable(environment[i], "LD_BIND_NOW")) bind_now = environment[i];
    if (!is_ours(environment[i])) result[used++] = environment[i];
  }
  result[used++] = joined("LD_PRELOAD", own_library(), preload);
  if (*preload != 0) result[used++] = joined(kPreloadVariable, preload, "");
  if (bind_now != nullptr) {
    result[used++] = const_cast<char*>(bind_now);
  } else if (g_variables[3] != nullptr) {
    result[used++] = g_variables[1];
    result[used++] = g_variables[3];
  }
  for (std::size_t i = 4; i < kVariableCount; ++i)
    if (g_variables[i] != nullptr) result[used++] = g_variables[i];
  keep_across_exec(true);
  return result;
}

void launch_failed() { keep_across_exec(false); }

namespace {

// 0 in the execution, which goes on from here.
int fork_execution(SharedRegion& region) {
  put_back_positions();
  // _Fork: the program's atfork handlers are not for us, and there is only this one thread.
  const int pid = _Fork();
  if (pid != 0) {
    if (pid < 0) fatal("cannot fork an execution");
    region.live.pid.store(pid, std::memory_order_relaxed);
    return pid;
  }
  if (region.restoring.wanted == 0) stop_reading();
  leave_server_group();
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (raw_syscall(SYS_getppid) == 1) raw_syscall(SYS_exit_group, 3);  // the server died meanwhile
  rewind_input();
  return 0;
}

// As wait4 has it; also when the process has stopped.
int status_of(int pid) {
  int status = 0;
  while (raw_syscall(SYS_wait4, pid, as_arg(&status), WUNTRACED, 0) == -EINTR) {
  }
  return status;
}

// A process that is put back after each execution stops when the next one is to be forked: that is
// done here, where nothing was ever executed. False: it has stopped for reasons of its own.
bool is_asked_to_fork(SharedRegion& region, int status) {
  if (!WIFSTOPPED(status) || region.restoring.fork_asked == 0) return false;
  region.restoring.fork_asked = 0;
  return true;
}

}  // namespace

void serve_executions(SharedRegion& region) {
  if (g_in < 0) return;
  note_positions();
  // A Ctrl-C on the terminal is for the execution; the server must live to tell how it ended.
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t mask = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&all), as_arg(&mask), sizeof(mask));
  send(ServerMessage::kReady, int(raw_syscall(SYS_getpid)), 0);
  int restored = 0;  // a process that waits while another execution is forked
  for (;;) {
    if (restored == 0) wait_for_command();
    const int pid = fork_execution(region);
    if (pid == 0) {
      raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask));
      return;
    }
    int status = status_of(pid);
    while (WIFSTOPPED(status) && !is_asked_to_fork(region, status)) status = status_of(pid);
    if (WIFSTOPPED(status)) {
      restored = pid;
      continue;
    }
    send(ServerMessage::kEnded, pid, status);
    if (restored == 0) continue;
    raw_syscall(SYS_kill, restored, SIGCONT);
    for (;;) {
      status = status_of(restored);
      if (!WIFSTOPPED(status)) break;
      if (is_asked_to_fork(region, status)) break;
    }
    if (WIFSTOPPED(status)) continue;
    send(ServerMessage::kEnded, restored, status);
    restored = 0;
  }
}

bool commands_can_be_read() { return g_in >= 0 && g_out >= 0; }

int control_descriptors(int* out) {
  out[0] = g_in;
  out[1] = g_out;
  return 2;
}

void wait_for_command() {
  char command = 0;
  long n;
  do {
    n = raw_syscall(SYS_read, g_in, as_arg(&command), 1);
  } while (n == -EINTR);
  if (n <= 0 || command != kRunCommand) raw_syscall(SYS_exit_group, 0);  // the host is gone or done
}

void tell_host_restored(int pid, int wait_status) {
  send(ServerMessage::kRestored, pid, wait_status);
}

void let_server_fork(SharedRegion& region) {
  region.restoring.fork_asked = 1;
  raw_syscall(SYS_kill, raw_syscall(SYS_getpid), SIGSTOP);
}

bool has_host() { return g_out >= 0; }

void tell_host_report_ready() {
  send(ServerMessage::kReportReady, int(raw_syscall(SYS_getpid)), 0);
}

}  // namespace raddle
