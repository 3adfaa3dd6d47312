#include "host/base/proc_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "host/base/unique_fd.hpp"

namespace raddle {

std::string read_proc_file(const std::string& path) {
  std::string text;
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[16 * 1024];
  while (fd) {
    const ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      text.append(buffer, static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      break;
    }
  }
  return text;
}

}  // namespace raddle
