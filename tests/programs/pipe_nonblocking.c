// expect: passed
// A non-blocking descriptor stays non-blocking: EAGAIN at once. A blocking one is still blocking
// afterwards.
#include <fcntl.h>
#include <sys/socket.h>

#include "check.h"

static int ends[2];

static void* write_later(void* argument) {
  CHECK_EQ(write(ends[1], "ab", 2), 2);
  return argument;
}

int main(void) {
  CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
  char bytes[4];
  CHECK_ERRNO(read(ends[0], bytes, 1), EAGAIN);
  static char block[70000];
  CHECK_EQ(write(ends[1], block, sizeof block), 65536);
  CHECK_ERRNO(write(ends[1], block, 1), EAGAIN);
  close(ends[0]);
  close(ends[1]);

  CHECK_EQ(pipe(ends), 0);
  pthread_t thread = start(write_later, NULL);
  CHECK_EQ(read(ends[0], bytes, 1), 1);
  CHECK_EQ(bytes[0], 'a');
  CHECK_EQ(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
  CHECK_EQ(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
  join(thread);

  int pair[2];
  CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  CHECK_ERRNO(recv(pair[0], bytes, 1, MSG_DONTWAIT), EAGAIN);
  struct timeval limit = {0, 20000};
  CHECK_EQ(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  CHECK_ERRNO(recv(pair[0], bytes, 1, 0), EAGAIN);
  return 0;
}
