#include "prevent/monitor/blocked_check.hpp"

#include <sys/syscall.h>

#include <algorithm>

namespace raddle::monitor {
namespace {

constexpr std::int64_t kStable = 2'000;          // a wait for a condition, a join, a descriptor
constexpr std::int64_t kStableLock = 3'000'000;  // a lock whose owner is not known

bool waits(const KernelView& view, const void* own) {
  switch (view.activity) {
    case Activity::waits:
    case Activity::waits_long:
      return view.call != SYS_futex || view.arguments[0] != reinterpret_cast<std::uintptr_t>(own);
    case Activity::outside:
      return true;
    case Activity::gone:
    case Activity::runs:
    case Activity::sleeps:
      break;
  }
  return false;
}

// It waits for a mutex whose owner runs, or sleeps, and will give it back.
bool will_go_on(const KernelView& view, const std::vector<pid_t>& held) {
  if (view.owner == 0 || std::find(held.begin(), held.end(), view.owner) != held.end())
    return false;
  const Activity owner = look_at(view.owner).activity;
  return owner == Activity::runs || owner == Activity::sleeps;
}

}  // namespace

bool BlockedCheck::has_run() {
  const std::int64_t ran = processor_time(thread_);
  if (ran == ran_) return false;
  ran_ = ran;
  since_ = now_ns();
  return true;
}

BlockedCheck::Answer BlockedCheck::look(const std::vector<pid_t>& held, const void* own) {
  prepare();
  has_run();
  KernelView view = file_.look_at(thread_);
  const bool same = view.line == line_;
  line_ = std::move(view.line);
  if (!waits(view, own) || will_go_on(view, held)) {
    since_ = now_ns();
    return Answer::no;
  }
  if (has_run() || (ran_ < 0 && !same)) {
    since_ = now_ns();
    return Answer::not_yet;
  }
  const std::int64_t enough = view.short_lock ? kStableLock : kStable;
  return now_ns() - since_ >= enough ? Answer::yes : Answer::not_yet;
}

bool BlockedCheck::still() { return ran_ < 0 ? file_.look_at(thread_).line == line_ : !has_run(); }

}  // namespace raddle::monitor
