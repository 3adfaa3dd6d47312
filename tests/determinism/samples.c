// Preloaded by storm.py: a process beside each execution sends it the signal by which Raddle
// samples threads, more often than any host would. Not a timer: the runtime would see that
// something may still happen, and no deadlock would be one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kSampleSignal = 63 };

static _Noreturn void sample(pid_t process, long nanoseconds) {
  const struct timespec interval = {0, nanoseconds};
  syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  do {
    syscall(SYS_nanosleep, &interval, NULL);
  } while (syscall(SYS_tgkill, process, process, kSampleSignal) == 0);
  syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

// What the fork server calls for each execution.
pid_t _Fork(void) {
  pid_t (*const real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "_Fork");
  const char* interval = getenv("RADDLE_TEST_SAMPLE_NS");
  const long nanoseconds = interval != NULL ? strtol(interval, NULL, 10) : 0;  // 0: nobody does
  const pid_t pid = real();
  if (pid > 0 && nanoseconds > 0 && real() == 0) sample(pid, nanoseconds);
  return pid;
}
