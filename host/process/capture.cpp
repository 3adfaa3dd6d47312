#include "host/process/capture.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace raddle {

void Capture::clear() {
  head_.clear();
  tail_.clear();
  bytes_ = 0;
}

void Capture::add(std::string_view data) {
  bytes_ += data.size();
  const std::size_t to_head = std::min(data.size(), kCapturePart - head_.size());
  head_.append(data.substr(0, to_head));
  tail_.append(data.substr(to_head));
  if (tail_.size() > 2 * kCapturePart) tail_.erase(0, tail_.size() - kCapturePart);
}

bool Capture::drain(int fd, std::size_t limit) {
  char buffer[32 * 1024];
  std::size_t got = 0;
  while (got < limit) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0) {
      add({buffer, static_cast<std::size_t>(n)});
      got += static_cast<std::size_t>(n);
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

std::string Capture::text() const {
  const std::size_t shown = std::min(tail_.size(), kCapturePart);
  const std::uint64_t left_out = bytes_ - head_.size() - shown;
  const std::string_view end = std::string_view(tail_).substr(tail_.size() - shown);
  if (left_out == 0) return fmt::format("{}{}", head_, end);
  return fmt::format("{}\n[raddle: {} bytes left out here]\n{}", head_, left_out, end);
}

}  // namespace raddle
