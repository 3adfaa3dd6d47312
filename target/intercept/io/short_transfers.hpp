// Transfers that move less than they could, if the plan allows it: what TCP does when a message
// comes in two segments, or the buffer of a socket is nearly full. Only where the kernel may do so,
// too: reads from stream sockets, and writes to those that do not wait. (A pipe gives what was
// written at once, up to PIPE_BUF, and a write that waits moves everything.) Inside a RuntimeScope.
#pragma once

#include <sys/uio.h>

#include <cstddef>

namespace raddle {

bool is_stream(int fd);

// A vector of which the transfer that comes now may use that much.
class Allowance {
 public:
  Allowance(int fd, bool possible, const iovec* parts, std::size_t count);

  const iovec* parts() const { return parts_; }
  std::size_t count() const { return count_; }

  // What came of it, as the kernel says.
  void moved(long result) const;

 private:
  static constexpr std::size_t kParts = 16;
  iovec few_[kParts];
  const iovec* parts_;
  std::size_t count_;
  std::size_t limit_ = 0;  // 0: none
};

}  // namespace raddle
