#include "target/intercept/io/short_transfers.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>

#include "target/base/kernel_state.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/sched/circumstances.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

constexpr std::uint32_t kOdds = 4;  // one transfer in so many

// One byte, half of it, all but one: the borders of messages, and their middle.
std::size_t part_of(std::size_t bytes) {
  const std::size_t choices[] = {1, bytes / 2, bytes - 1};
  return std::max<std::size_t>(1, choices[choose_value(3)]);
}

}  // namespace

bool is_stream(int fd) {
  int type = 0;
  socklen_t size = sizeof(type);
  return outside_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, as_arg(&type), as_arg(&size)) ==
             0 &&
         type == SOCK_STREAM;
}

Allowance::Allowance(int fd, bool possible, const iovec* parts, std::size_t count)
    : parts_(parts), count_(count) {
  if (__builtin_expect(!plan().short_transfers, 1) || !possible || !is_stream(fd)) return;
  const std::size_t total = vector_size(parts, count);
  if (total < 2 || choose_value(kOdds) != 0) return;
  limit_ = part_of(total);
  std::size_t left = limit_;
  std::size_t used = 0;
  for (std::size_t i = 0; i < count && left > 0 && used < kParts; ++i) {
    few_[used] = {parts[i].iov_base, std::min(parts[i].iov_len, left)};
    left -= few_[used++].iov_len;
  }
  limit_ -= left;  // more parts than there is room for
  parts_ = few_;
  count_ = used;
}

void Allowance::moved(long result) const {
  if (limit_ != 0 && result > 0 && std::size_t(result) == limit_) note_short_transfer();
}

}  // namespace raddle
