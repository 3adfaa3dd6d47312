// RaceFuzzer (Sen, "Race Directed Random Testing of Concurrent Programs", PLDI 2008), as Lai et al.
// (2010) and Park and Sen (2008) describe it. The strategy holds back a thread that is about to
// execute one of the two accesses of a candidate, until another thread is about to execute a
// conflicting access to the same location. Then the accesses are next to each other, and a coin
// decides which goes first.
//
// Deviation: once a thread is let go, it executes its access and is not held back again, so that
// the execution goes on.
#include <new>

#include "target/strategy/holding.hpp"
#include "target/strategy/touching.hpp"

namespace raddle {
namespace {

bool writes(OpKind op) {
  return op == OpKind::memory_write || op == OpKind::atomic_store || op == OpKind::atomic_update ||
         op == OpKind::memory_free;
}

bool conflict(const Pending& a, const Pending& b) {
  return a.thread != b.thread && (writes(a.op) || writes(b.op)) && touch(a, b);
}

class Race final : public Strategy, private Holding {
 public:
  Race(const Plan& plan, Allocate allocate)
      : Holding(plan, allocate), freed_(static_cast<bool*>(allocate(0x10000))) {}

  void brief(std::span<const AimSite> aims, Realised& realised) override {
    aims_ = aims;
    realised_ = &realised;
  }

  std::size_t choose(const View& view) override {
    for (;;) {
      bool broken = false;
      const std::size_t index = pick(view, broken);
      const Pending& next = *view.enabled[index];
      bool& freed = freed_[raw(next.thread)];
      if (broken || freed || !is_aim(next)) {
        if (freed) executed(next.thread, view.step);
        freed = false;
        return index;
      }
      const std::size_t other = partner(view, next);
      if (other != view.enabled.size()) return race(view, index, other);
      ++realised_->pauses;
      hold(next.thread, view.step);
    }
  }

  void on_place(ThreadId id, const Place& place) override { set_context(id, place.context); }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator().below(count));
  }

 private:
  bool is_aim(const Pending& next) const {
    for (const AimSite& target : aims_) {
      if (target.role == AimRole::kStep && matches(target, next)) return true;
    }
    return false;
  }

  // Index of a thread that is held back at a conflicting access; the size of view.enabled if there
  // is none.
  std::size_t partner(const View& view, const Pending& next) const {
    std::size_t i = 0;
    while (i < view.enabled.size() &&
           !(is_held(view.enabled[i]->thread) && conflict(*view.enabled[i], next)))
      ++i;
    return i;
  }

  // Lets both threads go, in random order: a campaign tries both orders in different executions.
  std::size_t race(const View& view, std::size_t a, std::size_t b) {
    let_go(view.enabled[b]->thread);
    const bool swap = generator().below(2) == 0;
    const std::size_t first = swap ? b : a;
    const std::size_t second = swap ? a : b;
    freed_[raw(view.enabled[first]->thread)] = false;
    freed_[raw(view.enabled[second]->thread)] = true;
    if (realised_->count++ == 0) {
      realised_->steps[0] = view.step;
      realised_->used = 1;
      second_ = view.enabled[second]->thread;
    }
    return first;
  }

  void executed(ThreadId thread, std::uint64_t step) {
    if (realised_->used != 1 || thread != second_) return;
    realised_->steps[1] = step;
    realised_->used = 2;
  }

  void expired(ThreadId thread) override { freed_[raw(thread)] = true; }

  std::span<const AimSite> aims_;
  Realised* realised_ = nullptr;
  bool* freed_;  // by thread: let go, so its pending access is executed without another check
  ThreadId second_ = kNoThread;
};

}  // namespace

Strategy* make_race(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Race))) Race(plan, allocate);
}

}  // namespace raddle
