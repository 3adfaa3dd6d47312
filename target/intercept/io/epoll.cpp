// epoll_wait and kin. The set itself is a descriptor that shows when it has events.
#include <sys/epoll.h>

#include <errno.h>
#include <sys/syscall.h>

#include "target/base/kernel_state.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/intercept/io/poll_wait.hpp"

namespace raddle {
namespace {

long has_events(const void* data) {
  pollfd entry{*static_cast<const int*>(data), POLLIN, 0};
  return outside_syscall(SYS_poll, as_arg(&entry), 1, 0);
}

// Taking events changes the set (edges, one-shots), so that is done once, when the thread was
// chosen.
int wait_for_events(int set, epoll_event* events, int capacity, const Limit& limit,
                    const sigset_t* mask, std::uint64_t site) {
  if (capacity <= 0) return int(with_errno(-EINVAL));
  for (;;) {
    pollfd entry{set, POLLIN, 0};
    int result = wait_by_looking({.look = has_events,
                                  .call = &set,
                                  .fds = &entry,
                                  .fd_count = 1,
                                  .limit = limit,
                                  .mask = mask,
                                  .site = site});
    if (result <= 0) return result;
    long taken = outside_syscall(SYS_epoll_wait, set, as_arg(events), capacity, 0);
    outside_changed();
    if (taken != 0 || limit.no_wait) return int(with_errno(taken));
  }
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int epoll_wait(int set, epoll_event* events, int capacity, int timeout) {
  if (!controlled()) return RADDLE_REAL(epoll_wait)(set, events, capacity, timeout);
  RuntimeScope scope;
  return wait_for_events(set, events, capacity, limit_of_milliseconds(timeout), nullptr,
                         RADDLE_SITE);
}

RADDLE_EXPORT int epoll_pwait(int set, epoll_event* events, int capacity, int timeout,
                              const sigset_t* mask) {
  if (!controlled()) return RADDLE_REAL(epoll_pwait)(set, events, capacity, timeout, mask);
  RuntimeScope scope;
  return wait_for_events(set, events, capacity, limit_of_milliseconds(timeout), mask, RADDLE_SITE);
}

RADDLE_EXPORT int epoll_pwait2(int set, epoll_event* events, int capacity, const timespec* timeout,
                               const sigset_t* mask) {
  if (!controlled()) return RADDLE_REAL(epoll_pwait2)(set, events, capacity, timeout, mask);
  RuntimeScope scope;
  if (!is_valid(timeout)) return int(with_errno(-EINVAL));
  return wait_for_events(set, events, capacity, limit_of(timeout), mask, RADDLE_SITE);
}
