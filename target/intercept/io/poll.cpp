// poll, ppoll, select, pselect: the real call with no time to wait, whenever the thread is chosen.
#include <poll.h>

#include <errno.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "target/base/kernel_state.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/intercept/io/poll_wait.hpp"
#include "target/sched/clock.hpp"
#include "target/signals/signal_state.hpp"

extern "C" {
int __poll_chk(pollfd* fds, nfds_t count, int timeout, std::size_t size);
int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask,
                std::size_t size);
[[noreturn]] void __chk_fail();
}

namespace raddle {
namespace {

struct PollCall {
  pollfd* fds;
  nfds_t count;
};

long look_at_poll(const void* data) {
  const auto& call = *static_cast<const PollCall*>(data);
  return outside_syscall(SYS_poll, as_arg(call.fds), long(call.count), 0);
}

int poll_until(pollfd* fds, nfds_t count, const Limit& limit, const sigset_t* mask,
               std::uint64_t site) {
  PollCall call{fds, count};
  int result = wait_by_looking({.look = look_at_poll,
                                .call = &call,
                                .fds = fds,
                                .fd_count = std::uint32_t(count),
                                .limit = limit,
                                .mask = mask,
                                .site = site});
  for (nfds_t i = 0; result == 0 && i < count; ++i) fds[i].revents = 0;
  return result;
}

// select()'s sets, read and written in place; the kernel gets copies to look with.
struct SelectCall {
  int count;
  fd_set* sets[3];
};

constexpr int kSelectMax = 4096;  // descriptors in one call; programs with larger sets use poll
constexpr std::size_t kWord = 8 * sizeof(unsigned long);
using Sets = unsigned long[3][kSelectMax / kWord];

std::size_t set_bytes(int count) {
  return (std::size_t(count) + kWord - 1) / kWord * sizeof(unsigned long);
}

long select_now(const SelectCall& call, Sets& copies) {
  long pointers[3];
  for (int i = 0; i < 3; ++i) {
    pointers[i] = call.sets[i] != nullptr ? as_arg(copies[i]) : 0;
    if (call.sets[i] != nullptr) memcpy(copies[i], call.sets[i], set_bytes(call.count));
  }
  timespec none{};
  return outside_syscall(SYS_pselect6, call.count, pointers[0], pointers[1], pointers[2],
                         as_arg(&none), 0);
}

long look_at_select(const void* data) {
  Sets copies;
  return select_now(*static_cast<const SelectCall*>(data), copies);
}

// The same descriptors for poll(): what the runtime sleeps on when nobody can move.
std::uint32_t as_poll(const SelectCall& call, pollfd* fds) {
  constexpr short kEvents[3] = {POLLIN, POLLOUT, POLLPRI};
  std::uint32_t n = 0;
  for (int fd = 0; fd < call.count; ++fd) {
    short events = 0;
    for (int i = 0; i < 3; ++i) {
      if (call.sets[i] != nullptr && FD_ISSET(fd, call.sets[i]))
        events = short(events | kEvents[i]);
    }
    if (events == 0) continue;
    if (fds != nullptr) fds[n] = {fd, events, 0};
    ++n;
  }
  return n;
}

int select_until(int count, fd_set* in, fd_set* out, fd_set* except, const Limit& limit,
                 const sigset_t* mask, std::uint64_t site) {
  if (count < 0 || count > kSelectMax) return int(with_errno(-EINVAL));
  SelectCall call{count, {in, out, except}};
  auto* fds = static_cast<pollfd*>(__builtin_alloca((as_poll(call, nullptr) + 1) * sizeof(pollfd)));
  int result = wait_by_looking({.look = look_at_select,
                                .call = &call,
                                .fds = fds,
                                .fd_count = as_poll(call, fds),
                                .limit = limit,
                                .mask = mask,
                                .site = site});
  if (result < 0) return result;
  Sets copies{};
  long ready = result > 0 ? select_now(call, copies) : 0;
  if (ready < 0) return int(with_errno(ready));
  for (int i = 0; i < 3; ++i) {
    if (call.sets[i] != nullptr) memcpy(call.sets[i], copies[i], set_bytes(count));
  }
  return int(ready);
}

// Linux leaves what remained of the time.
void leave_rest(timeval* timeout, const Limit& limit) {
  if (timeout == nullptr) return;
  std::uint64_t now = virtual_now();
  std::uint64_t left = limit.deadline > now ? limit.deadline - now : 0;
  *timeout = {time_t(left / 1'000'000'000), suseconds_t(left % 1'000'000'000 / 1000)};
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  if (!controlled()) return RADDLE_REAL(poll)(fds, count, timeout);
  RuntimeScope scope;
  return poll_until(fds, count, limit_of_milliseconds(timeout), nullptr, RADDLE_SITE);
}

RADDLE_EXPORT int __poll_chk(pollfd* fds, nfds_t count, int timeout, std::size_t size) {
  if (size / sizeof(*fds) < count) __chk_fail();
  if (!controlled()) return RADDLE_REAL(poll)(fds, count, timeout);
  RuntimeScope scope;
  return poll_until(fds, count, limit_of_milliseconds(timeout), nullptr, RADDLE_SITE);
}

RADDLE_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (!controlled()) return RADDLE_REAL(ppoll)(fds, count, timeout, mask);
  RuntimeScope scope;
  if (!is_valid(timeout)) return int(with_errno(-EINVAL));
  return poll_until(fds, count, limit_of(timeout), mask, RADDLE_SITE);
}

RADDLE_EXPORT int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout,
                              const sigset_t* mask, std::size_t size) {
  if (size / sizeof(*fds) < count) __chk_fail();
  if (!controlled()) return RADDLE_REAL(ppoll)(fds, count, timeout, mask);
  RuntimeScope scope;
  if (!is_valid(timeout)) return int(with_errno(-EINVAL));
  return poll_until(fds, count, limit_of(timeout), mask, RADDLE_SITE);
}

RADDLE_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  if (!controlled()) return RADDLE_REAL(select)(count, in, out, except, timeout);
  RuntimeScope scope;
  Limit limit{};
  if (timeout != nullptr) {
    if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return int(with_errno(-EINVAL));
    timespec time{timeout->tv_sec + timeout->tv_usec / 1'000'000,
                  timeout->tv_usec % 1'000'000 * 1000};
    limit = limit_of(&time);
  }
  int result = select_until(count, in, out, except, limit, nullptr, RADDLE_SITE);
  leave_rest(timeout, limit);
  return result;
}

RADDLE_EXPORT int pselect(int count, fd_set* in, fd_set* out, fd_set* except,
                          const timespec* timeout, const sigset_t* mask) {
  if (!controlled()) return RADDLE_REAL(pselect)(count, in, out, except, timeout, mask);
  RuntimeScope scope;
  if (!is_valid(timeout)) return int(with_errno(-EINVAL));
  return select_until(count, in, out, except, limit_of(timeout), mask, RADDLE_SITE);
}
