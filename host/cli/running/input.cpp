#include "host/cli/running/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "host/cli/running/interrupt.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

Result<UniqueFd> unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  if (folder == nullptr || *folder == 0) folder = "/tmp";
  std::string name = fmt::format("{}/raddle-input-XXXXXX", folder);
  UniqueFd fd(mkostemp(name.data(), O_CLOEXEC));
  if (!fd) {
    return Error{fmt::format("cannot keep standard input in {}: {}; set TMPDIR to another folder",
                             folder, std::strerror(errno))};
  }
  unlink(name.c_str());
  return fd;
}

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) {
      data += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  return true;
}

Result<UniqueFd> spool() {
  Result<UniqueFd> file = unnamed_file();
  if (!file) return file;
  char buffer[64 * 1024];
  bool told = false;
  for (;;) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (poll(&ready, 1, told ? 100 : 1000) <= 0) {
      if (interrupted()) return Error{"interrupted while reading standard input"};
      if (!told) {
        error_line("reading standard input to its end; give </dev/null if the program needs none");
      }
      told = true;
      continue;
    }
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n == 0) break;
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return Error{fmt::format("cannot read standard input: {}", std::strerror(errno))};
    if (!write_all(file->get(), buffer, static_cast<std::size_t>(n))) {
      return Error{fmt::format("cannot keep standard input: {}; set TMPDIR to another folder",
                               std::strerror(errno))};
    }
  }
  lseek(file->get(), 0, SEEK_SET);
  return file;
}

}  // namespace

Result<UniqueFd> repeatable_input() {
  struct stat status{};
  if (fstat(STDIN_FILENO, &status) != 0 || isatty(STDIN_FILENO) != 0) {
    return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  const bool at_start = S_ISREG(status.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  if (at_start || S_ISCHR(status.st_mode)) {
    return UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  }
  return spool();
}

}  // namespace raddle
