// Ignores the signals that ask it to end, and never ends: two threads of its own making, which
// nobody controls and which block all signals, compute for ever, and so does the main thread.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

static volatile unsigned long turns;

static int compute(void* argument) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (;;) ++turns;
  return argument != NULL;
}

static void* body(void* argument) { return argument; }

int main(void) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  const int flags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  for (int i = 0; i < 2; ++i) {
    char* stack = malloc(65536);
    if (clone(compute, stack + 65536, flags, NULL) < 0) return 1;
  }
  return compute(NULL);
}
