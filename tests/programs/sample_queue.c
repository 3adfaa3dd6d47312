// expect: passed
// seeds: 20
// native: no
// Thousands of the host's samples of a thread have queued up, as when other work keeps the machine
// busy for long. All of them find the thread at the same instruction. The thread does not spin for
// that reason, and no other thread may run there.
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "check.h"

static volatile int turns;

static long raw(long number, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

static void* other(void* argument) {
  for (int i = 0; i < 5; ++i) {
    ++turns;
    sched_yield();
  }
  return argument;
}

int main(void) {
  const int sample = 63;
  const unsigned long mask = 1UL << (sample - 1);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  sched_yield();
  const long self = raw(SYS_gettid, 0, 0, 0, 0);
  const int before = turns;
  raw(SYS_rt_sigprocmask, SIG_BLOCK, (long)&mask, 0, sizeof(mask));
  for (int i = 0; i < 20000; ++i) raw(SYS_tkill, self, sample, 0, 0);
  raw(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&mask, 0, sizeof(mask));
  CHECK(turns == before);
  pthread_join(thread, NULL);
  return 0;
}
