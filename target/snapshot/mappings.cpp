#include "target/snapshot/mappings.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

// A file of /proc is read until nothing comes: one read gives a page at most.
long read_whole(const char* path, char* buffer, std::size_t size) {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::size_t used = 0;
  long n = 0;
  while (used < size &&
         (n = raw_syscall(SYS_read, fd, as_arg(buffer + used), long(size - used))) > 0)
    used += std::size_t(n);
  raw_syscall(SYS_close, fd);
  return n < 0 || used == size ? -1 : long(used);
}

std::uint64_t read_hex(const char*& at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 16 + std::uint64_t(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value * 16 + std::uint64_t(*at - 'a' + 10);
    } else {
      return value;
    }
  }
}

std::uint64_t read_decimal(const char*& at) {
  std::uint64_t value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + std::uint64_t(*at - '0');
  return value;
}

const char* skip_field(const char* at) {
  while (*at != ' ' && *at != '\n') ++at;
  while (*at == ' ') ++at;
  return at;
}

// begin-end perms offset device inode path
const char* read_line(const char* at, Mapping& out) {
  out.begin = read_hex(at);
  ++at;
  out.end = read_hex(at);
  ++at;
  out.readable = at[0] == 'r';
  out.writable = at[1] == 'w';
  out.shared = at[3] == 's';
  at = skip_field(at);
  out.offset = read_hex(at);
  at = skip_field(skip_field(at));  // to the device, and past it
  out.inode = read_decimal(at);
  out.file = out.inode != 0;
  at = skip_field(at);
  out.stack = strncmp(at, "[stack]", 7) == 0;
  out.kernel = strncmp(at, "[v", 2) == 0;  // [vdso], [vvar], [vsyscall], [vvar_vclock]
  while (*at != '\n') ++at;
  return at + 1;
}

}  // namespace

int read_mappings(Mapping* out, int capacity, char* buffer, std::size_t buffer_size) {
  const long size = read_whole("/proc/self/maps", buffer, buffer_size);
  if (size <= 0 || buffer[size - 1] != '\n') return -1;
  int count = 0;
  for (const char* at = buffer; at < buffer + size; ++count) {
    if (count == capacity) return -1;
    at = read_line(at, out[count]);
  }
  return count;
}

}  // namespace raddle
