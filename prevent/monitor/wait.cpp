#include "prevent/monitor/wait.hpp"

#include <sched.h>

#include <algorithm>

namespace raddle::monitor {
namespace {

constexpr unsigned kShortPauses = 20;  // of the same length, before they get longer
constexpr unsigned kShortestPause = 10;
constexpr unsigned kLongestPause = 1000;

}  // namespace

bool Wait::still_blocked(const std::shared_ptr<Thread>& thread) {
  for (Look& look : looks_)
    if (look.thread == thread) return look.blocked && look.check->still();
  looks_.push_back({thread, std::make_unique<BlockedCheck>(thread->id), false});
  return false;
}

bool Wait::look(const std::vector<pid_t>& held, const void* own) {
  bool changed = false;
  for (Look& look : looks_) {
    const bool before = look.blocked;
    look.blocked = look.check->look(held, own) == BlockedCheck::Answer::yes;
    changed = changed || (look.blocked && !before);
  }
  return changed;
}

void Wait::prepare() {
  for (Look& look : looks_) look.check->prepare();
}

std::int64_t Wait::waited(std::uint64_t progress) {
  const std::int64_t now = now_ns();
  if (progress != progress_) {
    progress_ = progress;
    since_ = now;
    pauses_ = 0;
  }
  return now - since_;
}

unsigned Wait::pause() {
  const unsigned round = pauses_++ / kShortPauses;
  return round == 0 ? kShortestPause : std::min(2 * kShortestPause << round, kLongestPause);
}

bool blocked_now(pid_t thread, const std::vector<pid_t>& held, const void* own) {
  BlockedCheck check(thread);
  for (;;) {
    switch (check.look(held, own)) {
      case BlockedCheck::Answer::no:
        return false;
      case BlockedCheck::Answer::yes:
        return true;
      case BlockedCheck::Answer::not_yet:
        sched_yield();
        break;
    }
  }
}

}  // namespace raddle::monitor
