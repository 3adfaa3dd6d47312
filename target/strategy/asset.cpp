// AssetFuzzer, phase two (Lai, Cheung, Chan, "Detecting Atomic-Set Serializability Violations in
// Multithreaded Programs through Active Randomized Testing", ICSE 2010, section 4.2). It brings
// about one problematic access pattern of two threads. The aims of the plan (AimRole::kStep) are
// the pattern's accesses, matched by statement and calling context. The schedule is random, except
// that a thread is suspended after an access if the other thread's turn follows, and before an
// access whose turn has not come.
//
// Thrashing: a suspended thread may hold a lock that the other thread needs. The paper's answer is
// the vulnerable-window lockset. After an access, a thread is suspended only when it has released
// that lock (AimRole::kWindow at a release). A thread that comes too early is suspended before it
// takes the lock (kWindow at an acquisition). If all enabled threads are suspended nevertheless, a
// random one goes on, as in RaceFuzzer.
//
// Beyond the paper: it describes one pattern, two accesses around two others. This strategy brings
// about all patterns, turn by turn. A thread takes a part of the pattern when it makes the first
// access of that part. The first access to each of the two locations fixes its memory, and an
// access to other memory does not belong to the pattern. If one of the two threads misses an
// access, the pattern begins anew.
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
  // The thread plays this part of the pattern, or may still take it.
  bool plays(std::uint8_t part, ThreadId thread) const {
    const ThreadId own = threads_[part & 1];
    return own == thread || (own == kNoThread && threads_[(part & 1) ^ 1] != thread);
  }

  bool right_object(const AimSite& step, const Pending& next) const {
    const Pending& first = firsts_[step.location & 1];
    if (first.object == kNoObject || first.object == next.object) return true;
    if (first.extra == 0 || next.extra == 0) return false;
    // One access may touch a range and the other a part of it. If a length is unknown, the access
    // may match: the detector decides on the trace.
    if (touched_size(first) == 0 || touched_size(next) == 0) return true;
    return touched_address(first) < touched_address(next) + touched_size(next) &&
           touched_address(next) < touched_address(first) + touched_size(first);
  }

  // The operation is the access of the pattern whose turn it is.
  bool is_wanted(const Pending& next) const {
    const AimSite& wanted = *steps_[done_];
    return matches(wanted, next) && plays(wanted.thread, next.thread) && right_object(wanted, next);
  }

  bool is_turn_of(const AimSite& target) const {
    return length_ > done_ && steps_[done_]->thread == target.thread;
  }

  // The thread must wait: the operation is an access of the pattern before its turn, or takes the
  // lock around such an access, or is the first one after the thread has to be suspended.
  bool too_early(const Pending& next) const {
    if (suspend_ == next.thread) return true;
    if (is_wanted(next)) return false;  // even if it matches other aims too
    for (const AimSite& target : aims_) {
      if (!matches(target, next) || !plays(target.thread, next.thread)) continue;
      switch (target.role) {
        case AimRole::kStep:
          // Not too early: an access of the part whose turn it is, and one before `done_`, which
          // the pattern no longer needs.
          if (target.order > done_ && !is_turn_of(target) && right_object(target, next))
            return true;
          break;
        case AimRole::kWindow:
          if (target.location == kWindowAcquire && target.order >= done_ && !is_turn_of(target))
            return true;
          break;
        case AimRole::kDecides:
        case AimRole::kSelected:
        case AimRole::kWork:
        case AimRole::kReads:
        case AimRole::kSees:
        case AimRole::kRival:
          break;
      }
    }
    return false;
  }

  void execute(const Pending& next, std::uint64_t step) {
    if (suspend_ == next.thread) suspend_ = kNoThread;  // pick() broke the tie
    if (is_wanted(next)) return advance(*steps_[done_], next, step);
    if (leaving_ == next.thread && is_window(next)) {
      leaving_ = kNoThread;
      suspend_ = next.thread;
      return;
    }
    if (missed(next)) restart();
  }

  // The operation releases the lock that the other thread needs for its turn.
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
    // The turn passes to the other thread. If the thread of that part is known, it alone goes on.
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

  // One of the pattern's two threads makes an access out of turn: this attempt has failed.
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
    // The pattern came about. The rest of the execution is random, to see whether the program
    // fails.
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
  bool* freed_;  // by thread: let go, so its pending operation is executed without another check
  const AimSite* steps_[kMostSteps] = {};
  std::uint8_t length_ = 0;
  bool complete_ = true;

  std::uint8_t done_ = 0;  // number of the pattern's accesses so far
  ThreadId threads_[2] = {kNoThread, kNoThread};
  Pending firsts_[2] = {};  // first access to each location; kNoObject: none so far
  std::uint64_t at_[kMostSteps] = {};
  ThreadId leaving_ = kNoThread;  // to be suspended after it releases what the other thread needs
  ThreadId suspend_ = kNoThread;  // to be suspended at its next operation
};

}  // namespace

Strategy* make_asset(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Asset))) Asset(plan, allocate);
}

}  // namespace raddle
