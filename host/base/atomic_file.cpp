#include "host/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace raddle {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string advice(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "create the folder first or choose another one";
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EISDIR:
      return "a folder has that name, choose another";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "choose a folder that you can write to";
  }
}

Error failed(const std::string& path, int error) {
  return Error{fmt::format("cannot write {}: {}; {}", path, std::strerror(error), advice(error))};
}

// Descriptor of a new file beside `path`. Not mkstemp: with open(2) the umask decides who may read
// the result, as for any other file the user makes.
int open_temporary(const std::string& path, std::string* name) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    *name = fmt::format("{}.{}-{}.tmp", path, getpid(), counter.fetch_add(1));
    const int fd = open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The rename itself must survive a power failure. Some file systems cannot sync a folder; the data
// is safe then all the same, so this is not an error.
void sync_folder(const std::string& path) {
  const int fd = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

Result<std::monostate> write_in_place(const std::string& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return failed(path, errno);
  int error = write_all(fd, bytes) ? 0 : errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error != 0) return failed(path, error);
  return std::monostate{};
}

}  // namespace

Result<std::monostate> write_file_atomically(const std::string& path, std::string_view bytes) {
  struct stat info{};
  if (path.empty() || path.back() == '/' ||
      (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))) {
    return failed(path.empty() ? "a file without a name" : path, EISDIR);
  }
  // A device, a pipe or a link is written to, never replaced.
  if (lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return write_in_place(path, bytes);
  std::string temporary;
  const int fd = open_temporary(path, &temporary);
  if (fd < 0) return failed(path, errno);

  int error = 0;
  if (!write_all(fd, bytes) || fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return failed(path, error);
  }
  sync_folder(path);
  return std::monostate{};
}

}  // namespace raddle
