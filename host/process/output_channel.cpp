#include "host/process/output_channel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace raddle {
namespace {

// Larger than the usual 64 KiB, so that a program seldom finds its output pipe full.
constexpr int kPipeBytes = 1 << 20;

Error failed(const char* what) {
  return Error{
      fmt::format("cannot create {} for the program's output: {}", what, std::strerror(errno))};
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

Result<OutputChannel> make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return Error{fmt::format("cannot create a pipe: {}; fewer workers (-j) need fewer descriptors",
                             std::strerror(errno))};
  }
  fcntl(fds[1], F_SETPIPE_SZ, kPipeBytes);
  set_nonblocking(fds[0]);
  return OutputChannel{.child = UniqueFd(fds[1]), .read = UniqueFd(fds[0]), .file = {}};
}

// Bytes pass through it unchanged, and it is as wide as ours.
Result<OutputChannel> make_terminal() {
  OutputChannel channel;
  channel.read = UniqueFd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!channel.read || grantpt(channel.read.get()) != 0 || unlockpt(channel.read.get()) != 0 ||
      ptsname_r(channel.read.get(), name, sizeof name) != 0) {
    return failed("a terminal");
  }
  channel.child = UniqueFd(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!channel.child || tcgetattr(channel.child.get(), &settings) != 0) return failed("a terminal");
  cfmakeraw(&settings);
  tcsetattr(channel.child.get(), TCSANOW, &settings);
  winsize size{24, 80, 0, 0};
  for (const int ours : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO})
    if (ioctl(ours, TIOCGWINSZ, &size) == 0) break;
  ioctl(channel.child.get(), TIOCSWINSZ, &size);
  set_nonblocking(channel.read.get());
  return channel;
}

Result<OutputChannel> make_file() {
  OutputChannel channel;
  channel.child = UniqueFd(memfd_create("raddle-output", MFD_CLOEXEC));
  if (!channel.child) return failed("a file");
  channel.file = UniqueFd(fcntl(channel.child.get(), F_DUPFD_CLOEXEC, 3));
  if (!channel.file) return failed("a file");
  return channel;
}

}  // namespace

Result<OutputChannel> make_output_channel(StreamKind kind) {
  switch (kind) {
    case StreamKind::kPipe:
    case StreamKind::kOther:
      return make_pipe();
    case StreamKind::kFile:
      return make_file();
    case StreamKind::kTerminal:
      return make_terminal();
    case StreamKind::kNull: {
      OutputChannel channel;
      channel.child = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
      if (!channel.child) return failed("/dev/null");
      return channel;
    }
  }
  return make_pipe();
}

std::string take_contents(const UniqueFd& file) {
  std::string contents;
  if (!file) return contents;
  char buffer[64 * 1024];
  ssize_t n;
  while ((n = pread(file.get(), buffer, sizeof buffer, static_cast<off_t>(contents.size()))) > 0)
    contents.append(buffer, static_cast<std::size_t>(n));
  [[maybe_unused]] const int cut = ftruncate(file.get(), 0);
  lseek(file.get(), 0, SEEK_SET);
  return contents;
}

StreamKind stream_kind_of(int fd) {
  struct stat info{};
  if (fstat(fd, &info) != 0) return StreamKind::kNull;
  if (S_ISREG(info.st_mode)) return StreamKind::kFile;
  if (S_ISFIFO(info.st_mode)) return StreamKind::kPipe;
  if (!S_ISCHR(info.st_mode)) return StreamKind::kOther;
  if (isatty(fd) != 0) return StreamKind::kTerminal;
  return info.st_rdev == makedev(1, 3) ? StreamKind::kNull : StreamKind::kOther;
}

}  // namespace raddle
