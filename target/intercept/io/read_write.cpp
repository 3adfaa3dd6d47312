// read, write and kin. One that has to wait parks its thread and leaves the others running; what is
// then done in the kernel cannot block. pread and pwrite are for files, which never block, and stay
// libc's.
#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/base/kernel_state.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/intercept/io/short_transfers.hpp"
#include "target/intercept/random/random_source.hpp"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

extern "C" {
ssize_t __read_chk(int fd, void* buffer, std::size_t size, std::size_t buffer_size);
ssize_t __read(int fd, void* buffer, std::size_t size);
ssize_t __write(int fd, const void* buffer, std::size_t size);
[[noreturn]] void __chk_fail();
}

namespace raddle {
namespace {

constexpr int kParts = 16;  // of a vector, in one system call

long plain_read(int fd, const iovec* parts, int count) {
  if (count == 1)
    return outside_syscall(SYS_read, fd, as_arg(parts[0].iov_base), long(parts[0].iov_len));
  return outside_syscall(SYS_readv, fd, as_arg(parts), count);
}

long plain_write(int fd, const iovec* parts, int count) {
  if (count == 1)
    return outside_syscall(SYS_write, fd, as_arg(parts[0].iov_base), long(parts[0].iov_len));
  return outside_syscall(SYS_writev, fd, as_arg(parts), count);
}

// The descriptor has just shown that there is something to read, and nobody else of this process
// can have taken it; this is for the case that another process did.
long read_now(int fd, const Descriptor& d, const iovec* parts, int count) {
  if (d.socket) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = std::size_t(count);
    return outside_syscall(SYS_recvmsg, fd, as_arg(&message), MSG_DONTWAIT);
  }
  long result = outside_syscall(SYS_preadv2, fd, as_arg(parts), count, -1, 0, RWF_NOWAIT);
  return result == -EOPNOTSUPP || result == -ENOSYS ? plain_read(fd, parts, count) : result;
}

long write_now(int fd, const Descriptor& d, const iovec* parts, int count) {
  if (d.socket) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = std::size_t(count);
    return outside_syscall(SYS_sendmsg, fd, as_arg(&message), MSG_DONTWAIT);
  }
  if (d.pipe) {
    long result = outside_syscall(SYS_pwritev2, fd, as_arg(parts), count, -1, 0, RWF_NOWAIT);
    if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  }
  NonBlocking guard(fd);
  return plain_write(fd, parts, count);
}

ssize_t read_parts(int fd, const iovec* all, int all_count, std::uint64_t site) {
  Descriptor d = describe(fd);
  const bool valid = all_count >= 0 && all_count <= IOV_MAX;
  const Allowance allowed(fd, d.socket && valid, all, valid ? std::size_t(all_count) : 0);
  const iovec* parts = allowed.parts();
  const int count = valid ? int(allowed.count()) : all_count;
  bool nothing = valid && vector_size(parts, std::size_t(count)) == 0;
  if (!d.reader_may_wait() || d.random || nothing || count < 0 || count > IOV_MAX) {
    announce(OpKind::read, fd, site);
    if (d.random && count == 1 && random_is_ours()) {
      random_bytes(parts[0].iov_base, parts[0].iov_len);
      return ssize_t(parts[0].iov_len);
    }
    long result = plain_read(fd, parts, count);
    allowed.moved(result);
    if (d.shared()) outside_changed();
    return with_errno(result);
  }
  IoWait io{.op = OpKind::read, .fd = fd, .events = POLLIN, .external = !d.internal, .site = site};
  if (d.socket) io.deadline = socket_deadline(fd, SO_RCVTIMEO);
  for (;;) {
    if (int error = wait_for_io(io)) return with_errno(-error);
    long result = read_now(fd, d, parts, count);
    if (result == -EAGAIN) continue;
    allowed.moved(result);
    outside_changed();
    return with_errno(result);
  }
}

// All of it, as a blocking write does, unless an error or a signal comes between.
ssize_t write_all(int fd, const Descriptor& d, const iovec* parts, int count, std::uint64_t site) {
  std::size_t total = vector_size(parts, std::size_t(count));
  std::size_t done = 0;
  IoWait io{
      .op = OpKind::write, .fd = fd, .events = POLLOUT, .external = !d.internal, .site = site};
  if (d.socket) io.deadline = socket_deadline(fd, SO_SNDTIMEO);
  for (;;) {
    iovec rest[kParts];
    long result =
        done == 0
            ? write_now(fd, d, parts, count)
            : write_now(fd, d, rest, rest_of_vector(parts, std::size_t(count), done, rest, kParts));
    if (result == -EAGAIN) {
      int error = wait_for_io(io);
      if (error == 0) continue;
      result = -error;
    }
    outside_changed();
    keep_broken_pipe(result);
    if (result < 0) return done > 0 ? ssize_t(done) : with_errno(result);
    done += std::size_t(result);
    if (done >= total || result == 0) return ssize_t(done);
  }
}

ssize_t write_parts(int fd, const iovec* parts, int count, std::uint64_t site) {
  Descriptor d = describe(fd);
  announce(OpKind::write, fd, site);
  if (d.writer_may_wait() && count > 0 && count <= IOV_MAX)
    return write_all(fd, d, parts, count, site);
  const bool may_be_short = d.socket && d.nonblocking && count >= 0 && count <= IOV_MAX;
  const Allowance allowed(fd, may_be_short, parts, may_be_short ? std::size_t(count) : 0);
  long result = may_be_short ? plain_write(fd, allowed.parts(), int(allowed.count()))
                             : plain_write(fd, parts, count);
  allowed.moved(result);
  if (d.shared()) {
    outside_changed();
    keep_broken_pipe(result);
  }
  return with_errno(result);
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT ssize_t read(int fd, void* buffer, size_t size) {
  if (!controlled()) return RADDLE_REAL(read)(fd, buffer, size);
  RuntimeScope scope;
  iovec part{buffer, size};
  return read_parts(fd, &part, 1, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t __read(int fd, void* buffer, size_t size) {
  if (!controlled()) return RADDLE_REAL(read)(fd, buffer, size);
  RuntimeScope scope;
  iovec part{buffer, size};
  return read_parts(fd, &part, 1, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t __read_chk(int fd, void* buffer, size_t size, size_t buffer_size) {
  if (size > buffer_size) __chk_fail();
  if (!controlled()) return RADDLE_REAL(read)(fd, buffer, size);
  RuntimeScope scope;
  iovec part{buffer, size};
  return read_parts(fd, &part, 1, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  if (!controlled()) return RADDLE_REAL(readv)(fd, parts, count);
  RuntimeScope scope;
  return read_parts(fd, parts, count, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t write(int fd, const void* buffer, size_t size) {
  if (!controlled()) return RADDLE_REAL(write)(fd, buffer, size);
  RuntimeScope scope;
  iovec part{const_cast<void*>(buffer), size};
  return write_parts(fd, &part, 1, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t __write(int fd, const void* buffer, size_t size) {
  if (!controlled()) return RADDLE_REAL(write)(fd, buffer, size);
  RuntimeScope scope;
  iovec part{const_cast<void*>(buffer), size};
  return write_parts(fd, &part, 1, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t writev(int fd, const iovec* parts, int count) {
  if (!controlled()) return RADDLE_REAL(writev)(fd, parts, count);
  RuntimeScope scope;
  return write_parts(fd, parts, count, RADDLE_SITE);
}

// libevent's way of waking a loop.
RADDLE_EXPORT int eventfd_read(int fd, std::uint64_t* value) {
  return read(fd, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

RADDLE_EXPORT int eventfd_write(int fd, std::uint64_t value) {
  return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}
