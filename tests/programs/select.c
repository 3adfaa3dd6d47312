// expect: passed
// select and pselect: ready, not ready until another thread writes, timeouts in virtual time,
// EBADF.
#include <signal.h>
#include <sys/select.h>

#include "check.h"

static int ends[2];
static fd_set set;

static void* write_byte(void* argument) {
  CHECK_EQ(write(ends[1], "x", 1), 1);
  return argument;
}

static void read_byte(void) {
  char byte;
  CHECK_EQ(read(ends[0], &byte, 1), 1);
}

static fd_set* only(int fd) {
  FD_ZERO(&set);
  FD_SET(fd, &set);
  return &set;
}

int main(void) {
  CHECK_EQ(pipe(ends), 0);
  struct timeval none = {0, 0}, some = {0, 30000}, minute = {60, 0};
  CHECK_EQ(select(ends[0] + 1, only(ends[0]), NULL, NULL, &none), 0);
  CHECK(!FD_ISSET(ends[0], &set));
  CHECK_EQ(select(ends[1] + 1, NULL, only(ends[1]), NULL, NULL), 1);
  CHECK(FD_ISSET(ends[1], &set));

  struct timespec before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(select(ends[0] + 1, only(ends[0]), NULL, NULL, &some), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);
  struct timespec wait = {0, 30 * 1000000}, long_wait = {60, 0};
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(pselect(ends[0] + 1, only(ends[0]), NULL, NULL, &wait, NULL), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);
  some.tv_usec = 30000;
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(select(0, NULL, NULL, NULL, &some), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);

  pthread_t thread = start(write_byte, NULL);
  CHECK_EQ(select(ends[0] + 1, only(ends[0]), NULL, NULL, NULL), 1);
  CHECK(FD_ISSET(ends[0], &set));
  read_byte();
  join(thread);
  thread = start(write_byte, NULL);
  CHECK_EQ(select(ends[0] + 1, only(ends[0]), NULL, NULL, &minute), 1);
  read_byte();
  join(thread);
  thread = start(write_byte, NULL);
  sigset_t empty;
  sigemptyset(&empty);
  CHECK_EQ(pselect(ends[0] + 1, only(ends[0]), NULL, NULL, &long_wait, &empty), 1);
  read_byte();
  join(thread);

  int closed = dup(ends[0]);
  CHECK_EQ(close(closed), 0);
  CHECK_ERRNO(select(closed + 1, only(closed), NULL, NULL, NULL), EBADF);
  return 0;
}
