// expect: passed
// seeds: 50
// A pipe between threads, written in pieces far larger than it holds, with read, readv, write,
// writev.
#include <signal.h>
#include <sys/uio.h>

#include "check.h"

enum { kBytes = 300 * 1000 };
static int ends[2];
static unsigned char sent[kBytes], got[kBytes];

static void* send_all(void* argument) {
  // One blocking write of everything: it must not return before all bytes are in.
  CHECK_EQ(write(ends[1], sent, kBytes / 2), kBytes / 2);
  struct iovec parts[2] = {{sent + kBytes / 2, kBytes / 4}, {sent + kBytes / 4 * 3, kBytes / 4}};
  CHECK_EQ(writev(ends[1], parts, 2), kBytes / 2);
  CHECK_EQ(close(ends[1]), 0);
  return argument;
}

int main(void) {
  for (int i = 0; i < kBytes; ++i) sent[i] = (unsigned char)(i * 31 + i / 251);
  CHECK_EQ(pipe(ends), 0);
  pthread_t thread = start(send_all, NULL);
  size_t total = 0;
  for (int i = 0;; ++i) {
    ssize_t n;
    if (i % 2 || total == sizeof got) {
      char end;
      n = total == sizeof got ? read(ends[0], &end, 1)
                              : read(ends[0], got + total, sizeof got - total);
    } else {
      struct iovec parts[2] = {{got + total, 1}, {got + total + 1, sizeof got - total - 1}};
      n = readv(ends[0], parts, 2);
    }
    CHECK(n >= 0);
    if (n == 0) break;
    total += (size_t)n;
  }
  join(thread);
  CHECK_EQ(total, kBytes);
  CHECK(memcmp(sent, got, kBytes) == 0);

  // Both ends in this process: writing with no reader left is EPIPE.
  int broken[2];
  CHECK_EQ(pipe(broken), 0);
  CHECK_EQ(close(broken[0]), 0);
  CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  CHECK_ERRNO(write(broken[1], "x", 1), EPIPE);
  CHECK_ERRNO(write(broken[0], "x", 1), EBADF);
  CHECK_ERRNO(read(-1, got, 1), EBADF);
  return 0;
}
