// Brings a free before a use that it came after: the aims name both, and for each the acquisition
// at which its thread can still be kept apart from the other (AimRole::kWindow; without one, the
// step itself). Where locks order the two, bringing them next to each other, as `race` does, is not
// enough: whoever frees must not come before the other thread has the pointer, and must come while
// that thread holds none of its locks.
//
// A thread that is about to free waits until another one waits for its use. That one waits until
// the block is freed. If it holds a lock that the free needs, nobody can go on: it is let go, as
// everywhere (holding.hpp), and waits again when it comes to its use the next time. Of executions,
// one half holds back each use that comes; the other skips some, in case the first one is never the
// right one.
#include <new>

#include "target/strategy/holding.hpp"
#include "target/strategy/touching.hpp"

namespace raddle {
namespace {

constexpr std::uint8_t kUse = 0;
constexpr std::uint8_t kFree = 1;

class Lifetime final : public Strategy, private Holding {
 public:
  Lifetime(const Plan& plan, Allocate allocate)
      : Holding(plan, allocate),
        threads_(static_cast<Thread*>(allocate(kThreads * sizeof(Thread)))),
        skips_(generator().below(2) == 1) {}

  void brief(std::span<const AimSite> aims, Realised& realised) override {
    aims_ = aims;
    realised_ = &realised;
    for (const AimSite& aim : aims)
      if (aim.role == AimRole::kWindow) has_window_[aim.thread & 1] = true;
  }

  std::size_t choose(const View& view) override {
    for (;;) {
      const std::size_t frees = who_may_free(view);
      if (frees != view.enabled.size()) return go(view, frees);
      bool broken = false;
      const std::size_t index = pick(view, broken);
      const Pending& next = *view.enabled[index];
      const bool waits = !broken && !threads_[raw(next.thread)].goes && is_to_wait(next);
      if (!waits) return go(view, index);
      ++realised_->pauses;
      hold(next.thread, view.step);
      threads_[raw(next.thread)].waits_for_free = waits_at(next, kUse);
      if (waits_at(next, kUse)) ++users_;
      if (raw(next.thread) > highest_) highest_ = raw(next.thread);
    }
  }

  void on_place(ThreadId id, const Place& place) override { set_context(id, place.context); }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator().below(count));
  }

 private:
  static constexpr std::size_t kThreads = 0x10000;
  struct Thread {
    bool waits_for_free;  // it is about to use, or to take the lock for that
    bool goes;            // its pending operation is executed without another look
  };

  bool waits_at(const Pending& next, std::uint8_t which) const {
    return is_at(next, which, has_window_[which] ? AimRole::kWindow : AimRole::kStep);
  }
  bool is_at(const Pending& next, std::uint8_t which, AimRole role) const {
    for (const AimSite& aim : aims_)
      if (aim.role == role && aim.thread == which && matches(aim, next)) return true;
    return false;
  }

  // Once the block is freed, everything is left to chance.
  bool is_to_wait(const Pending& next) {
    if (realised_->used != 0) return false;
    if (waits_at(next, kUse)) return !skips_ || generator().below(2) == 0;
    return waits_at(next, kFree) && users_ == 0;
  }

  // Index of a thread that was held back from freeing, and need not be any more; the size of
  // view.enabled if there is none.
  std::size_t who_may_free(const View& view) const {
    std::size_t i = 0;
    const auto may = [&](const Pending& one) {
      return is_held(one.thread) && !threads_[raw(one.thread)].waits_for_free;
    };
    while (i < view.enabled.size() && !(users_ > 0 && may(*view.enabled[i]))) ++i;
    return i;
  }

  std::size_t go(const View& view, std::size_t index) {
    const Pending& next = *view.enabled[index];
    free_to_go(next.thread);
    threads_[raw(next.thread)].goes = false;
    if (realised_->used == 0 && users_ > 0 && is_at(next, kFree, AimRole::kStep)) {
      freed(view, next);
    } else if (realised_->used == 1 && is_at(next, kUse, AimRole::kStep) &&
               next.thread != freed_.thread && touch(freed_, next)) {
      realised_->count = 1;
      realised_->steps[1] = view.step;
      realised_->used = 2;
    }
    return index;
  }

  void free_to_go(ThreadId thread) {
    let_go(thread);
    if (threads_[raw(thread)].waits_for_free) --users_;
    threads_[raw(thread)].waits_for_free = false;
  }

  // Whoever waits for this block goes on. Behind a window nobody knows which block it will be.
  void freed(const View& view, const Pending& next) {
    bool is_it = has_window_[kUse];
    for (const Pending* one : view.enabled)
      is_it = is_it || (threads_[raw(one->thread)].waits_for_free && touch(next, *one));
    if (!is_it) return;
    freed_ = next;
    realised_->steps[0] = view.step;
    realised_->used = 1;
    for (std::uint32_t thread = 0; thread <= highest_; ++thread) {
      const ThreadId id{static_cast<std::uint16_t>(thread)};
      if (!is_held(id)) continue;
      free_to_go(id);
      threads_[thread].goes = true;
    }
  }

  void expired(ThreadId thread) override {
    free_to_go(thread);
    threads_[raw(thread)].goes = true;
  }

  std::span<const AimSite> aims_;
  Realised* realised_ = nullptr;
  Thread* threads_;  // by thread; zeros at first
  bool skips_;
  bool has_window_[2] = {false, false};
  std::uint32_t users_ = 0;    // threads that wait for a free
  std::uint32_t highest_ = 0;  // that was ever held back
  Pending freed_{};
};

}  // namespace

Strategy* make_lifetime(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Lifetime))) Lifetime(plan, allocate);
}

}  // namespace raddle
