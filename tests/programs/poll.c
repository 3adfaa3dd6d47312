// expect: passed
// poll and ppoll: ready, not ready until another thread writes, timeouts in virtual time, errors.
#include <poll.h>
#include <signal.h>

#include "check.h"

static int ends[2];

static void* write_byte(void* argument) {
  CHECK_EQ(write(ends[1], "x", 1), 1);
  return argument;
}

static void read_byte(void) {
  char byte;
  CHECK_EQ(read(ends[0], &byte, 1), 1);
}

int main(void) {
  CHECK_EQ(pipe(ends), 0);
  struct pollfd both[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
  CHECK_EQ(poll(both, 1, 0), 0);
  CHECK_EQ(poll(both, 2, -1), 1);
  CHECK_EQ(both[0].revents, 0);
  CHECK_EQ(both[1].revents, POLLOUT);

  struct timespec before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(poll(both, 1, 30), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);
  struct timespec wait = {0, 30 * 1000000};
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(ppoll(both, 1, &wait, NULL), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(poll(NULL, 0, 30), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);

  pthread_t thread = start(write_byte, NULL);
  CHECK_EQ(poll(both, 1, -1), 1);
  CHECK_EQ(both[0].revents, POLLIN);
  read_byte();
  join(thread);

  thread = start(write_byte, NULL);
  CHECK_EQ(poll(both, 1, 60000), 1);
  read_byte();
  join(thread);

  thread = start(write_byte, NULL);
  sigset_t none;
  sigemptyset(&none);
  struct timespec minute = {60, 0};
  CHECK_EQ(ppoll(both, 1, &minute, &none), 1);
  read_byte();
  join(thread);

  CHECK_EQ(close(ends[1]), 0);
  CHECK_EQ(poll(both, 1, -1), 1);
  CHECK_EQ(both[0].revents, POLLHUP);
  struct pollfd wrong = {ends[1], POLLIN, 0};
  CHECK_EQ(poll(&wrong, 1, -1), 1);
  CHECK_EQ(wrong.revents, POLLNVAL);
  return 0;
}
