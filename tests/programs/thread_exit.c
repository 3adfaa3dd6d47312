// expect: passed
// pthread_exit from deep inside a thread: the value arrives, the cleanup handlers run, innermost
// first.
#include "check.h"

static int order[4], runs;

static void note(void* argument) { order[runs++] = (int)(long)argument; }

static void leave_deeper(void) { pthread_exit((void*)99); }

static void leave(void) { leave_deeper(); }

static void* body(void* argument) {
  pthread_cleanup_push(note, (void*)1);
  pthread_cleanup_push(note, (void*)2);
  pthread_cleanup_push(note, (void*)3);
  pthread_cleanup_pop(0);
  leave();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return argument;
}

int main(void) {
  CHECK_EQ((long)join(start(body, NULL)), 99);
  CHECK_EQ(runs, 2);
  CHECK_EQ(order[0], 2);
  CHECK_EQ(order[1], 1);
  return 0;
}
