// Waiting for descriptors, for the interceptors of I/O. All inside a RuntimeScope.
#pragma once

#include <errno.h>
#include <sys/uio.h>

#include <cstdint>

#include "target/intercept/io/descriptors.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {

// A kernel result as libc gives it: -1 and errno, or the value.
inline long with_errno(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}

// The decision point before an operation that does not have to wait; a cancellation point.
void announce(OpKind op, int fd, std::uint64_t site);

struct IoWait {
  OpKind op;
  int fd;
  short events;  // as for poll()
  bool external;
  std::uint64_t deadline = kNoDeadline;
  std::uint64_t site = 0;
};

// Returns when the descriptor shows one of the events or an error: 0. EINTR: a handler ran. EAGAIN:
// the time is over. Does not return if the thread was cancelled.
int wait_for_io(const IoWait& io);

// When the socket's own limit (SO_RCVTIMEO, SO_SNDTIMEO) ends a call that begins now.
std::uint64_t socket_deadline(int fd, int option);

// Bytes in all; and what is left of a vector after `done` bytes of it, at most `capacity` parts.
// Returns the number of parts.
std::size_t vector_size(const iovec* parts, std::size_t count);
int rest_of_vector(const iovec* parts, std::size_t count, std::size_t done, iovec* rest,
                   int capacity);

// Makes the descriptor non-blocking for one system call. Nobody in this process can see it
// meanwhile.
class NonBlocking {
 public:
  explicit NonBlocking(int fd);
  ~NonBlocking();
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

 private:
  int fd_;
  long flags_;
};

// After a failed write: if the signal is masked it is pending now, and it belongs to this thread
// alone.
void keep_broken_pipe(long result);

}  // namespace raddle
