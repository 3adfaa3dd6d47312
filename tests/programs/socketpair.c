// expect: passed
// A pair of sockets between two threads: send/recv, sendto/recvfrom, sendmsg/recvmsg, MSG_WAITALL,
// MSG_PEEK, shutdown, and writes larger than the buffers.
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "check.h"

enum { kLarge = 400 * 1000 };
static int stream[2], packets[2];
static char large[kLarge], large_got[kLarge];

static void* peer(void* argument) {
  char bytes[8];
  CHECK(recv(stream[1], bytes, 1, MSG_PEEK) == 1 && bytes[0] == 'p');
  CHECK_EQ(recv(stream[1], bytes, 4, MSG_WAITALL), 4);
  CHECK(memcmp(bytes, "ping", 4) == 0);
  CHECK_EQ(send(stream[1], "po", 2, 0), 2);
  sched_yield();
  CHECK_EQ(send(stream[1], "ng", 2, 0), 2);

  CHECK_EQ(recvfrom(packets[1], bytes, sizeof bytes, 0, NULL, NULL), 3);
  CHECK_EQ(recvfrom(packets[1], bytes, sizeof bytes, 0, NULL, NULL), 5);

  char a[2], b[4];
  struct iovec parts[2] = {{a, 2}, {b, 4}};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  CHECK_EQ(recvmsg(packets[1], &message, 0), 6);
  CHECK(memcmp(a, "ab", 2) == 0 && memcmp(b, "cdef", 4) == 0);

  CHECK_EQ(send(stream[1], large, kLarge, 0), kLarge);
  CHECK_EQ(shutdown(stream[1], SHUT_WR), 0);
  return argument;
}

int main(void) {
  CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, stream), 0);
  CHECK_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, packets), 0);
  for (int i = 0; i < kLarge; ++i) large[i] = (char)(i * 7 + i / 1000);
  pthread_t thread = start(peer, NULL);
  CHECK_EQ(send(stream[0], "pi", 2, 0), 2);
  sched_yield();
  CHECK_EQ(send(stream[0], "ng", 2, 0), 2);
  char bytes[8];
  CHECK_EQ(recv(stream[0], bytes, 4, MSG_WAITALL), 4);
  CHECK(memcmp(bytes, "pong", 4) == 0);

  CHECK_EQ(sendto(packets[0], "one", 3, 0, NULL, 0), 3);
  CHECK_EQ(sendto(packets[0], "three", 5, 0, NULL, 0), 5);
  struct iovec part = {"abcdef", 6};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  CHECK_EQ(sendmsg(packets[0], &message, 0), 6);

  size_t total = 0;
  for (;;) {
    ssize_t n = read(stream[0], large_got + total, sizeof large_got - total + (total == kLarge));
    CHECK(n >= 0);
    if (n == 0) break;
    total += (size_t)n;
  }
  CHECK_EQ(total, kLarge);
  CHECK(memcmp(large, large_got, kLarge) == 0);
  join(thread);
  CHECK_EQ(close(stream[1]), 0);
  CHECK_ERRNO(send(stream[0], "x", 1, MSG_NOSIGNAL), EPIPE);
  return 0;
}
