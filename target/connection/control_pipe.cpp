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

#include "target/base/base.hpp"

namespace raddle {
namespace {

int g_in = -1;
int g_out = -1;

void send(ServerMessage::Kind kind, int pid, int status) {
  if (g_out < 0) return;
  ServerMessage message{kind, pid, status};
  raw_syscall(SYS_write, g_out, as_arg(&message), sizeof(message));
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

void become_execution() {
  raw_syscall(SYS_close, g_in);
  g_in = -1;
  leave_server_group();
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (raw_syscall(SYS_getppid) == 1) raw_syscall(SYS_exit_group, 3);  // the server died meanwhile
  rewind_input();
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
  restore_environment();
  return region;
}

void serve_executions(SharedRegion& region) {
  if (g_in < 0) return;
  // A Ctrl-C on the terminal is for the execution; the server must live to tell how it ended.
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t mask = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&all), as_arg(&mask), sizeof(mask));
  send(ServerMessage::kReady, int(raw_syscall(SYS_getpid)), 0);
  for (;;) {
    char command = 0;
    long n;
    do {
      n = raw_syscall(SYS_read, g_in, as_arg(&command), 1);
    } while (n == -EINTR);
    if (n <= 0 || command != kRunCommand)
      raw_syscall(SYS_exit_group, 0);  // the host is gone or done
    // _Fork: the program's atfork handlers are not for us, and there is only this one thread.
    int pid = _Fork();
    if (pid == 0) {
      become_execution();
      raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask));
      return;
    }
    region.live.pid.store(pid, std::memory_order_relaxed);
    int status = 0;
    while (raw_syscall(SYS_wait4, pid, as_arg(&status), 0, 0) == -EINTR) {
    }
    send(ServerMessage::kEnded, pid, status);
  }
}

bool has_host() { return g_out >= 0; }

void tell_host_report_ready() {
  send(ServerMessage::kReportReady, int(raw_syscall(SYS_getpid)), 0);
}

}  // namespace raddle
