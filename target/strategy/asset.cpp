// Phase two of AssetFuzzer (Lai, Cheung, Chan, "Detecting Atomic-Set Serializability Violations in
// Multithreaded Programs through Active Randomized Testing", ICSE 2010, section 4.2): brings about
// one problematic access pattern, whose accesses are the plan's steps. The schedule is random; the
// thread that made an access after which it is the other's turn is suspended, and so is one that
// comes to an access before its turn. Accesses are matched by statement and calling context.
//
// Against thrashing, the vulnerable-window lockset: a thread that still holds a lock which the
// other needs is suspended only when it has released it (AimRole::kWindow at a release), and one
// that comes too early is suspended before it takes that lock (kWindow at an acquisition). What is
// left is resolved as in RaceFuzzer: when every enabled thread is suspended, a random one goes on.
//
// Beyond the paper, which describes the pattern of two accesses around two: all patterns, turn by
// turn. The two threads are those that made the first access of their part; an access to other
// memory than the first one of its location is not the pattern's. When a part of the pattern was
// missed, it begins anew.
#include <new>

#include "target/strategy/holding.hpp"

namespace raddle {
namespace {

constexpr std::uint8_t kMostSteps = 4;

class Asset final : public Strategy, private Holding {
 public:
  Asset(const Plan& plan, Allocate allocate)
      : Holding(plan, allocate), freed_(static_cast<bool*>(allocate(0x10000))) {}

  void brief(std::span<const AimSite> aims, Realised& realised) override {
    aims_ = aims;
    realised_ = &realised;
    forget_locations();
    for (const AimSite& target : aims) {
      if (target.role != AimRole::kStep || target.order >= kMostSteps) continue;
      steps_[target.order] = &target;
      if (target.order >= length_) length_ = static_cast<std::uint8_t>(target.order + 1);
    }
    for (std::uint8_t i = 0; i < length_; ++i) complete_ = complete_ && steps_[i] != nullptr;
  }

  std::size_t choose(const View& view) override {
    for (;;) {
      bool broken = false;
      const std::size_t index = pick(view, broken);
      const Pending& next = *view.enabled[index];
      bool& freed = freed_[raw(next.thread)];
      if (length_ == 0 || !complete_) return index;
      if (broken || freed || !too_early(next)) {
        freed = false;
        execute(next, view.step);
        return index;
      }
      ++realised_->pauses;
      hold(next.thread, view.step);
    }
  }

  void on_place(ThreadId id, const Place& place) override { set_context(id, place.context); }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator().below(count));
  }

 private:
  // Plays the part, or could still.
  bool plays(std::uint8_t part, ThreadId thread) const {
    const ThreadId own = threads_[part & 1];
    return own == thread || (own == kNoThread && threads_[(part & 1) ^ 1] != thread);
  }

  bool right_object(const AimSite& step, const Pending& next) const {
    const Pending& first = firsts_[step.location & 1];
    if (first.object == kNoObject || first.object == next.object) return true;
    if (first.extra == 0 || next.extra == 0) return false;
    // A range, and a part of it. Some ranges do not tell their length: the detector knows.
    if (touched_size(first) == 0 || touched_size(next) == 0) return true;
    return touched_address(first) < touched_address(next) + touched_size(next) &&
           touched_address(next) < touched_address(first) + touched_size(first);
  }

  // The next access of the pattern.
  bool is_wanted(const Pending& next) const {
    const AimSite& wanted = *steps_[done_];
    return matches(wanted, next) && plays(wanted.thread, next.thread) && right_object(wanted, next);
  }

  bool is_turn_of(const AimSite& target) const {
    return length_ > done_ && steps_[done_]->thread == target.thread;
  }

  // An access of the pattern whose turn it is not yet, or the lock before it; or the first thing
  // that a thread does after its window was left.
  bool too_early(const Pending& next) const {
    if (suspend_ == next.thread) return true;
    if (is_wanted(next)) return false;  // whatever else it could be
    for (const AimSite& target : aims_) {
      if (!matches(target, next) || !plays(target.thread, next.thread)) continue;
      switch (target.role) {
        case AimRole::kStep:
          // Somebody's own next access comes when it is its turn; an earlier one is no longer
          // wanted.
          if (target.order > done_ && !is_turn_of(target) && right_object(target, next))
            return true;
          break;
        case AimRole::kWindow:
          if (target.location == kWindowAcquire && target.order >= done_ && !is_turn_of(target))
            return true;
          break;
        case AimRole::kDecides:
          break;
      }
    }
    return false;
  }

  void execute(const Pending& next, std::uint64_t step) {
    if (suspend_ == next.thread) suspend_ = kNoThread;  // the tie was broken
    if (is_wanted(next)) return advance(*steps_[done_], next, step);
    if (leaving_ == next.thread && is_window(next)) {
      leaving_ = kNoThread;
      suspend_ = next.thread;
      return;
    }
    if (missed(next)) restart();
  }

  // The release after which the other thread has its chance.
  bool is_window(const Pending& next) const {
    for (const AimSite& target : aims_) {
      if (is_release(target, done_ - 1) && matches(target, next)) return true;
    }
    return false;
  }

  bool has_window(std::uint8_t order) const {
    for (const AimSite& target : aims_) {
      if (is_release(target, order)) return true;
    }
    return false;
  }

  static bool is_release(const AimSite& target, int order) {
    return target.role == AimRole::kWindow && target.location == kWindowRelease &&
           target.order == order;
  }

  void advance(const AimSite& wanted, const Pending& next, std::uint64_t step) {
    threads_[wanted.thread & 1] = next.thread;
    Pending& first = firsts_[wanted.location & 1];
    if (first.object == kNoObject) first = next;
    at_[done_++] = step;
    if (done_ == length_) return finish();
    const std::uint8_t turn = steps_[done_]->thread;
    if (turn == wanted.thread) return;
    // The other's turn: whoever is suspended there goes on.
    const ThreadId other = threads_[turn & 1];
    if (other != kNoThread) {
      resume(other);
    } else {
      resume_all();
    }
    if (has_window(wanted.order)) {
      leaving_ = next.thread;
    } else {
      suspend_ = next.thread;
    }
  }

  // One of the pattern's threads made an access out of turn: this time it does not come about.
  bool missed(const Pending& next) const {
    if (done_ == 0) return false;
    for (std::uint8_t i = done_; i < length_; ++i) {
      if (threads_[steps_[i]->thread & 1] == next.thread && matches(*steps_[i], next) &&
          right_object(*steps_[i], next))
        return true;
    }
    return false;
  }

  void finish() {
    if (realised_->count++ == 0) {
      for (std::uint8_t i = 0; i < length_; ++i) realised_->steps[i] = at_[i];
      realised_->used = length_;
    }
    restart();
  }

  void restart() {
    done_ = 0;
    threads_[0] = threads_[1] = kNoThread;
    forget_locations();
    leaving_ = suspend_ = kNoThread;
    resume_all();
    // Once it has come about, the rest of the execution is random: does the program fail?
    if (realised_->count > 0) length_ = 0;
  }

  void forget_locations() {
    for (Pending& first : firsts_) first.object = kNoObject;
  }

  void resume(ThreadId thread) {
    if (is_held(thread)) freed_[raw(thread)] = true;
    let_go(thread);
    if (suspend_ == thread) suspend_ = kNoThread;
    if (leaving_ == thread) leaving_ = kNoThread;
  }

  void resume_all() {
    for (std::uint32_t i = 0; held() > 0 && i < 0x10000; ++i) {
      const ThreadId thread{static_cast<std::uint16_t>(i)};
      if (is_held(thread)) let_go(thread);
    }
  }

  void expired(ThreadId thread) override { freed_[raw(thread)] = true; }

  std::span<const AimSite> aims_;
  Realised* realised_ = nullptr;
  bool* freed_;  // by thread: its pending operation is to be executed
  const AimSite* steps_[kMostSteps] = {};
  std::uint8_t length_ = 0;
  bool complete_ = true;

  std::uint8_t done_ = 0;  // accesses of the pattern so far
  ThreadId threads_[2] = {kNoThread, kNoThread};
  Pending firsts_[2] = {};  // accesses of each location; without an object there was none
  std::uint64_t at_[kMostSteps] = {};
  ThreadId leaving_ = kNoThread;  // is to be suspended when it has released what the other needs
  ThreadId suspend_ = kNoThread;  // is to be suspended at its next operation
};

}  // namespace

Strategy* make_asset(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Asset))) Asset(plan, allocate);
}

}  // namespace raddle
