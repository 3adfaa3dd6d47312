// recv, send, accept, connect and kin.
#include <sys/socket.h>

#include <fcntl.h>
#include <sys/syscall.h>

#include "target/base/kernel_state.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/intercept/io/short_transfers.hpp"
#include "target/sched/clock.hpp"

extern "C" {
ssize_t __recv_chk(int fd, void* buffer, std::size_t size, std::size_t buffer_size, int flags);
ssize_t __recvfrom_chk(int fd, void* buffer, std::size_t size, std::size_t buffer_size, int flags,
                       sockaddr* address, socklen_t* length);
[[noreturn]] void __chk_fail();
}

namespace raddle {
namespace {

constexpr int kParts = 16;
constexpr std::uint64_t kFullBacklogPause = 1'000'000;  // virtual

// The message without its first `done` bytes. Address and ancillary data went with these.
msghdr rest_of_message(const msghdr& message, std::size_t done, iovec* rest) {
  msghdr result{};
  result.msg_iov = rest;
  result.msg_iovlen =
      std::size_t(rest_of_vector(message.msg_iov, message.msg_iovlen, done, rest, kParts));
  return result;
}

// The message, of which no more is moved than the plan allows.
msghdr allowed_part(const msghdr& message, const Allowance& allowed) {
  msghdr result = message;
  result.msg_iov = const_cast<iovec*>(allowed.parts());
  result.msg_iovlen = allowed.count();
  return result;
}

bool plain(const Descriptor& d, int flags) {
  return !d.reader_may_wait() || (flags & MSG_DONTWAIT) != 0;
}

ssize_t receive_allowed(int fd, msghdr* message, int flags, std::uint64_t site) {
  Descriptor d = describe(fd);
  if (plain(d, flags) || (flags & (MSG_ERRQUEUE | MSG_OOB)) != 0) {
    announce(OpKind::read, fd, site);
    long result = outside_syscall(SYS_recvmsg, fd, as_arg(message), flags);
    outside_changed();
    return with_errno(result);
  }
  IoWait io{.op = OpKind::read,
            .fd = fd,
            .events = POLLIN,
            .external = !d.internal,
            .deadline = socket_deadline(fd, SO_RCVTIMEO),
            .site = site};
  bool all = (flags & MSG_WAITALL) != 0 && (flags & MSG_PEEK) == 0;
  std::size_t wanted = all ? vector_size(message->msg_iov, message->msg_iovlen) : 0;
  std::size_t done = 0;
  for (;;) {
    int error = wait_for_io(io);
    long result = -error;
    if (error == 0) {
      iovec parts[kParts];
      msghdr rest = done > 0 ? rest_of_message(*message, done, parts) : msghdr{};
      result = outside_syscall(SYS_recvmsg, fd, as_arg(done > 0 ? &rest : message),
                               flags | MSG_DONTWAIT);
      if (result == -EAGAIN) continue;
      outside_changed();
    }
    if (result < 0) return done > 0 ? ssize_t(done) : with_errno(result);
    done += std::size_t(result);
    if (result == 0 || done >= wanted || !is_stream(fd)) return ssize_t(done);
  }
}

ssize_t receive(int fd, msghdr* message, int flags, std::uint64_t site) {
  const bool whole = (flags & (MSG_WAITALL | MSG_PEEK | MSG_ERRQUEUE | MSG_OOB | MSG_TRUNC)) != 0;
  const Allowance allowed(fd, !whole, message->msg_iov, message->msg_iovlen);
  msghdr part = allowed_part(*message, allowed);
  const ssize_t result = receive_allowed(fd, &part, flags, site);
  allowed.moved(result);
  // Everything but the vector is an answer, too.
  part.msg_iov = message->msg_iov;
  part.msg_iovlen = message->msg_iovlen;
  *message = part;
  return result;
}

ssize_t send_all(int fd, const msghdr* message, int flags, std::uint64_t site) {
  Descriptor d = describe(fd);
  announce(OpKind::write, fd, site);
  if (plain(d, flags)) {
    const Allowance allowed(fd, d.open, message->msg_iov, message->msg_iovlen);
    const msghdr part = allowed_part(*message, allowed);
    long result = outside_syscall(SYS_sendmsg, fd, as_arg(&part), flags);
    allowed.moved(result);
    outside_changed();
    keep_broken_pipe(result);
    return with_errno(result);
  }
  IoWait io{.op = OpKind::write,
            .fd = fd,
            .events = POLLOUT,
            .external = !d.internal,
            .deadline = socket_deadline(fd, SO_SNDTIMEO),
            .site = site};
  std::size_t total = vector_size(message->msg_iov, message->msg_iovlen);
  std::size_t done = 0;
  for (;;) {
    iovec parts[kParts];
    msghdr rest = done > 0 ? rest_of_message(*message, done, parts) : msghdr{};
    long result =
        outside_syscall(SYS_sendmsg, fd, as_arg(done > 0 ? &rest : message), flags | MSG_DONTWAIT);
    if (result == -EAGAIN) {
      int error = wait_for_io(io);
      if (error == 0) continue;
      result = -error;
    }
    outside_changed();
    keep_broken_pipe(result);
    if (result < 0) return done > 0 ? ssize_t(done) : with_errno(result);
    done += std::size_t(result);
    if (done >= total) return ssize_t(done);
  }
}

ssize_t receive_from(int fd, void* buffer, std::size_t size, int flags, sockaddr* address,
                     socklen_t* length, std::uint64_t site) {
  iovec part{buffer, size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_name = address;
  if (address != nullptr && length != nullptr) message.msg_namelen = *length;
  ssize_t result = receive(fd, &message, flags, site);
  if (result >= 0 && address != nullptr && length != nullptr) *length = message.msg_namelen;
  return result;
}

ssize_t send_to(int fd, const void* buffer, std::size_t size, int flags, const sockaddr* address,
                socklen_t length, std::uint64_t site) {
  iovec part{const_cast<void*>(buffer), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_name = const_cast<sockaddr*>(address);
  message.msg_namelen = address != nullptr ? length : 0;
  return send_all(fd, &message, flags, site);
}

int accept_from(int fd, sockaddr* address, socklen_t* length, int flags, std::uint64_t site) {
  Descriptor d = describe(fd);
  if (!d.reader_may_wait()) {
    announce(OpKind::accept, fd, site);
    long result = outside_syscall(SYS_accept4, fd, as_arg(address), as_arg(length), flags);
    outside_changed();
    return int(with_errno(result));
  }
  IoWait io{.op = OpKind::accept,
            .fd = fd,
            .events = POLLIN,
            .external = !d.internal,
            .deadline = socket_deadline(fd, SO_RCVTIMEO),
            .site = site};
  for (;;) {
    if (int error = wait_for_io(io)) return int(with_errno(-error));
    NonBlocking guard(fd);
    long result = outside_syscall(SYS_accept4, fd, as_arg(address), as_arg(length), flags);
    if (result == -EAGAIN) continue;
    outside_changed();
    return int(with_errno(result));
  }
}

// A local listener whose backlog is full shows in no descriptor: try again a little later.
int pause_for_backlog(int fd, std::uint64_t limit, std::uint64_t site) {
  std::uint64_t later = virtual_now() + kFullBacklogPause;
  if (later >= limit) return EAGAIN;
  switch (wait({.op = OpKind::connect,
                .object = &descriptor_object(fd, site),
                .deadline = later,
                .interruptible = true,
                .cancellable = true,
                .site = site})) {
    case StepOutcome::kReady:
    case StepOutcome::kTimeout:
      return 0;
    case StepOutcome::kInterrupted:
      return EINTR;
    case StepOutcome::kCancelled:
      cancel_now();
  }
  return 0;
}

int connect_to(int fd, const sockaddr* address, socklen_t length, std::uint64_t site) {
  Descriptor d = describe(fd);
  announce(OpKind::connect, fd, site);
  if (!d.reader_may_wait()) {
    long result = outside_syscall(SYS_connect, fd, as_arg(address), length);
    outside_changed();
    return int(with_errno(result));
  }
  IoWait io{.op = OpKind::connect,
            .fd = fd,
            .events = POLLOUT,
            .external = true,
            .deadline = socket_deadline(fd, SO_SNDTIMEO),
            .site = site};
  long result = 0;
  for (;;) {
    {
      NonBlocking guard(fd);
      result = outside_syscall(SYS_connect, fd, as_arg(address), length);
    }
    outside_changed();
    if (result != -EAGAIN) break;
    if (int error = pause_for_backlog(fd, io.deadline, site)) return int(with_errno(-error));
  }
  if (result != -EINPROGRESS) return int(with_errno(result));
  if (int error = wait_for_io(io)) return int(with_errno(error == EAGAIN ? -EINPROGRESS : -error));
  int error = 0;
  socklen_t size = sizeof(error);
  outside_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, as_arg(&error), as_arg(&size));
  outside_changed();
  return int(with_errno(-error));
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  if (!controlled()) return RADDLE_REAL(recv)(fd, buffer, size, flags);
  RuntimeScope scope;
  return receive_from(fd, buffer, size, flags, nullptr, nullptr, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t __recv_chk(int fd, void* buffer, size_t size, size_t buffer_size, int flags) {
  if (size > buffer_size) __chk_fail();
  if (!controlled()) return RADDLE_REAL(recv)(fd, buffer, size, flags);
  RuntimeScope scope;
  return receive_from(fd, buffer, size, flags, nullptr, nullptr, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* address,
                               socklen_t* length) {
  if (!controlled()) return RADDLE_REAL(recvfrom)(fd, buffer, size, flags, address, length);
  RuntimeScope scope;
  return receive_from(fd, buffer, size, flags, address, length, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t __recvfrom_chk(int fd, void* buffer, size_t size, size_t buffer_size,
                                     int flags, sockaddr* address, socklen_t* length) {
  if (size > buffer_size) __chk_fail();
  if (!controlled()) return RADDLE_REAL(recvfrom)(fd, buffer, size, flags, address, length);
  RuntimeScope scope;
  return receive_from(fd, buffer, size, flags, address, length, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (!controlled()) return RADDLE_REAL(recvmsg)(fd, message, flags);
  RuntimeScope scope;
  return receive(fd, message, flags, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  if (!controlled()) return RADDLE_REAL(send)(fd, buffer, size, flags);
  RuntimeScope scope;
  return send_to(fd, buffer, size, flags, nullptr, 0, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t sendto(int fd, const void* buffer, size_t size, int flags,
                             const sockaddr* address, socklen_t length) {
  if (!controlled()) return RADDLE_REAL(sendto)(fd, buffer, size, flags, address, length);
  RuntimeScope scope;
  return send_to(fd, buffer, size, flags, address, length, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (!controlled()) return RADDLE_REAL(sendmsg)(fd, message, flags);
  RuntimeScope scope;
  return send_all(fd, message, flags, RADDLE_SITE);
}

RADDLE_EXPORT int accept(int fd, sockaddr* address, socklen_t* length) {
  if (!controlled()) return RADDLE_REAL(accept)(fd, address, length);
  RuntimeScope scope;
  return accept_from(fd, address, length, 0, RADDLE_SITE);
}

RADDLE_EXPORT int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  if (!controlled()) return RADDLE_REAL(accept4)(fd, address, length, flags);
  RuntimeScope scope;
  return accept_from(fd, address, length, flags, RADDLE_SITE);
}

RADDLE_EXPORT int connect(int fd, const sockaddr* address, socklen_t length) {
  if (!controlled()) return RADDLE_REAL(connect)(fd, address, length);
  RuntimeScope scope;
  return connect_to(fd, address, length, RADDLE_SITE);
}

RADDLE_EXPORT int shutdown(int fd, int how) noexcept {
  if (!controlled()) return RADDLE_REAL(shutdown)(fd, how);
  RuntimeScope scope;
  decide(OpKind::close, &descriptor_object(fd, RADDLE_SITE), RADDLE_SITE);
  long result = outside_syscall(SYS_shutdown, fd, how);
  outside_changed();
  return int(with_errno(result));
}

// Many messages in one call: each is a step of its own, as in a loop over the simple calls.
RADDLE_EXPORT int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (!controlled()) return RADDLE_REAL(sendmmsg)(fd, messages, count, flags);
  RuntimeScope scope;
  for (unsigned i = 0; i < count; ++i) {
    ssize_t sent = send_all(fd, &messages[i].msg_hdr, flags, RADDLE_SITE);
    if (sent < 0) return i > 0 ? int(i) : -1;
    messages[i].msg_len = unsigned(sent);
  }
  return int(count);
}

RADDLE_EXPORT int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags,
                           timespec* timeout) {
  if (!controlled()) return RADDLE_REAL(recvmmsg)(fd, messages, count, flags, timeout);
  RuntimeScope scope;
  // As the kernel: the time is looked at only after a message has come.
  std::uint64_t deadline = timeout != nullptr ? deadline_after(*timeout) : kNoDeadline;
  for (unsigned i = 0; i < count; ++i) {
    int more = i > 0 && (flags & MSG_WAITFORONE) != 0 ? MSG_DONTWAIT : 0;
    ssize_t got = receive(fd, &messages[i].msg_hdr, (flags & ~MSG_WAITFORONE) | more, RADDLE_SITE);
    if (got < 0) return i > 0 ? int(i) : -1;
    messages[i].msg_len = unsigned(got);
    if (virtual_now() >= deadline) return int(i + 1);
  }
  return int(count);
}
