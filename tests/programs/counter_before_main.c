// expect: passed
// outside: the child of a constructor ends when it ends
// A constructor reads the time-stamp counter, with all signals blocked, and starts processes;
// main() goes on from there. Time does not jump in between: it is the same counter.
#include <signal.h>
#include <sys/wait.h>
#include <x86intrin.h>

#include "check.h"

static unsigned long long first;

static void ends_well(pid_t child) {
  int status = -1;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

__attribute__((constructor)) static void begin(void) {
  sigset_t all;
  sigfillset(&all);
  CHECK_EQ(sigprocmask(SIG_BLOCK, &all, NULL), 0);
  first = __rdtsc();
  CHECK(__rdtsc() >= first);
  pid_t child = fork();
  if (child == 0) {
    if (__rdtsc() == 0) _exit(1);
    execl("/bin/true", "true", (char*)NULL);
    _exit(127);
  }
  ends_well(child);
  CHECK_EQ(system("true"), 0);
  CHECK(__rdtsc() >= first);
}

static void* body(void* argument) {
  CHECK(__rdtsc() > first);
  return argument;
}

int main(void) {
  struct sigaction seen;
  CHECK_EQ(sigaction(SIGSEGV, NULL, &seen), 0);
  CHECK(seen.sa_handler == SIG_DFL);
  sigset_t blocked;
  CHECK_EQ(sigprocmask(SIG_SETMASK, NULL, &blocked), 0);
  CHECK(sigismember(&blocked, SIGUSR1));
  unsigned long long now = __rdtsc();
  CHECK(now > first);
  CHECK(now - first < 300000000000ULL);  // a minute of 5 GHz: the real one has counted for hours
  pthread_t thread = start(body, NULL);
  body(NULL);
  join(thread);
  return 0;
}
