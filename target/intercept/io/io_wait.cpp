#include "target/intercept/io/io_wait.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "target/base/kernel_state.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/sched/clock.hpp"
#include "target/signals/signal_state.hpp"

namespace raddle {
namespace {

bool shows_event(Thread& t) {
  pollfd entry{int(t.wait_data), short(t.wait_data2), 0};
  return outside_syscall(SYS_poll, as_arg(&entry), 1, 0) != 0;
}

}  // namespace

void announce(OpKind op, int fd, std::uint64_t site) {
  StepOutcome outcome = wait({.op = op,
                              .object = &descriptor_object(fd, site),
                              .ready = [](Thread&) { return true; },
                              .cancellable = true,
                              .site = site});
  if (outcome == StepOutcome::kCancelled) cancel_now();
}

int wait_for_io(const IoWait& io) {
  pollfd entry{io.fd, io.events, 0};
  StepOutcome outcome = wait({.op = io.op,
                              .object = &descriptor_object(io.fd, io.site),
                              .ready = shows_event,
                              .data = io.fd,
                              .data2 = io.events,
                              .deadline = io.deadline,
                              .interruptible = true,
                              .cancellable = true,
                              .polled = true,
                              .external = io.external,
                              .fds = &entry,
                              .fd_count = 1,
                              .site = io.site});
  switch (outcome) {
    case StepOutcome::kReady:
      return 0;
    case StepOutcome::kTimeout:
      return EAGAIN;
    case StepOutcome::kInterrupted:
      return EINTR;
    case StepOutcome::kCancelled:
      cancel_now();
  }
  return 0;
}

std::uint64_t socket_deadline(int fd, int option) {
  timeval limit{};
  socklen_t size = sizeof(limit);
  if (outside_syscall(SYS_getsockopt, fd, SOL_SOCKET, option, as_arg(&limit), as_arg(&size)) != 0)
    return kNoDeadline;
  if (limit.tv_sec == 0 && limit.tv_usec == 0) return kNoDeadline;
  return deadline_after({limit.tv_sec, limit.tv_usec * 1000});
}

std::size_t vector_size(const iovec* parts, std::size_t count) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += parts[i].iov_len;
  return total;
}

int rest_of_vector(const iovec* parts, std::size_t count, std::size_t done, iovec* rest,
                   int capacity) {
  int n = 0;
  for (std::size_t i = 0; i < count && n < capacity; ++i) {
    if (done >= parts[i].iov_len) {
      done -= parts[i].iov_len;
      continue;
    }
    rest[n++] = {static_cast<char*>(parts[i].iov_base) + done, parts[i].iov_len - done};
    done = 0;
  }
  return n;
}

NonBlocking::NonBlocking(int fd) : fd_(fd), flags_(outside_syscall(SYS_fcntl, fd, F_GETFL)) {
  if (flags_ >= 0) outside_syscall(SYS_fcntl, fd_, F_SETFL, flags_ | O_NONBLOCK);
}

NonBlocking::~NonBlocking() {
  if (flags_ >= 0) outside_syscall(SYS_fcntl, fd_, F_SETFL, flags_);
}

void keep_broken_pipe(long result) {
  if (result == -EPIPE && (self().mask & signal_bit(SIGPIPE)) != 0) adopt_kernel_signal(SIGPIPE);
}

}  // namespace raddle
