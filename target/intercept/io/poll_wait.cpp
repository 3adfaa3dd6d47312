#include "target/intercept/io/poll_wait.hpp"

#include <errno.h>

#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/sched/clock.hpp"
#include "target/signals/signal_state.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

struct Looker {
  const LookWait* wait;
  std::uint32_t handlers;  // that had run before
};

bool sees_something(Thread& t) {
  const auto& looker = *reinterpret_cast<const Looker*>(t.wait_data);
  return t.handlers_run != looker.handlers || looker.wait->look(looker.wait->call) != 0;
}

bool any_is_external(const LookWait& w) {
  if (w.fd_count == 0) return true;  // only a signal ends it, and anybody may send one
  for (std::uint32_t i = 0; i < w.fd_count; ++i) {
    if (w.fds[i].fd >= 0 && !is_internal(w.fds[i].fd)) return true;
  }
  return false;
}

StepOutcome wait_once(const LookWait& w, const Looker& looker, bool external) {
  // Time alone ends a wait for nothing: it is a sleep.
  bool only_time = w.fd_count == 0 && w.limit.deadline != kNoDeadline;
  return wait({.op = OpKind::poll,
               .ready = sees_something,
               .data = reinterpret_cast<std::int64_t>(&looker),
               .deadline = w.limit.deadline,
               .cancellable = true,
               .polled = !only_time,
               .external = external,
               .fds = w.fds,
               .fd_count = w.fd_count,
               .site = w.site});
}

// A loop that looks until something comes gives way to who would bring it.
int give_way(const LookWait& w) {
  look_outside();
  decide(OpKind::yield, nullptr, w.site);
  return 0;
}

}  // namespace

bool is_valid(const timespec* timeout) {
  return timeout == nullptr ||
         (timeout->tv_sec >= 0 && timeout->tv_nsec >= 0 && timeout->tv_nsec < 1'000'000'000);
}

Limit limit_of(const timespec* timeout) {
  if (timeout == nullptr) return {};
  return {deadline_after(*timeout), timeout->tv_sec == 0 && timeout->tv_nsec == 0};
}

Limit limit_of_milliseconds(int timeout) {
  if (timeout < 0) return {};
  timespec time{timeout / 1000, timeout % 1000 * 1'000'000L};
  return limit_of(&time);
}

int wait_by_looking(const LookWait& w) {
  TemporaryMask mask(w.mask);
  Thread& t = self();
  Looker looker{&w, t.handlers_run};
  bool external = any_is_external(w);
  for (;;) {
    StepOutcome outcome = wait_once(w, looker, external);
    if (outcome == StepOutcome::kCancelled) {
      mask.restore();
      cancel_now();
    }
    // What comes only now is for the next call: the decision was that there is nothing.
    long result = outcome == StepOutcome::kTimeout ? 0 : w.look(w.call);
    if (result == 0 && outcome != StepOutcome::kTimeout) {
      if (t.handlers_run == looker.handlers) continue;
      result = -EINTR;
    }
    mask.restore();
    return result == 0 && w.limit.no_wait ? give_way(w) : int(with_errno(result));
  }
}

}  // namespace raddle
