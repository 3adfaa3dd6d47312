// Deadlock-directed testing, after Joshi, Park, Sen and Naik, "A Randomized Dynamic Program
// Analysis Technique for Detecting Real Deadlocks" (PLDI 2009). The strategy holds back a thread
// that owns a lock and is about to make one of the acquisitions of a lock-order cycle. Meanwhile
// another thread of the cycle may take the wanted lock: then the held-back thread would have to
// wait anyway. When this is true of all threads of the cycle, the scheduler sees a real deadlock.
//
// Deviation: the paper identifies threads and locks by how the program created them. This strategy
// matches an acquisition by its site and calling context: the same place in another thread is as
// good.
#include <new>

#include "target/strategy/holding.hpp"

namespace raddle {
namespace {

class Deadlock final : public Strategy, private Holding {
 public:
  Deadlock(const Plan& plan, Allocate allocate)
      : Holding(plan, allocate),
        threads_(static_cast<Thread*>(allocate(0x10000 * sizeof(Thread)))) {}

  void brief(std::span<const AimSite> aims, Realised& realised) override {
    aims_ = aims;
    realised_ = &realised;
  }

  std::size_t choose(const View& view) override {
    step_ = view.step;
    for (;;) {
      bool broken = false;
      const std::size_t index = pick(view, broken);
      const Pending& next = *view.enabled[index];
      Thread& thread = threads_[raw(next.thread)];
      if (broken || thread.freed || thread.locks == 0 || !is_aim(next)) {
        thread.freed = false;
        return index;
      }
      ++realised_->pauses;
      thread.wants = next.object;
      if (raw(next.thread) > highest_) highest_ = raw(next.thread);
      hold(next.thread, view.step);
    }
  }

  void on_place(ThreadId id, const Place& place) override { set_context(id, place.context); }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator().below(count));
  }

  void on_create(ThreadId id) override { threads_[raw(id)] = Thread{}; }

  void on_lock(ThreadId id, ObjectId lock, bool taken) override {
    Thread& thread = threads_[raw(id)];
    if (!taken) {
      if (thread.locks > 0) --thread.locks;
      return;
    }
    ++thread.locks;
    if (held() == 0) return;
    // One more edge of the cycle: now the held-back thread has to wait for `id` anyway.
    for (std::uint32_t other = 0; other <= highest_; ++other) {
      const ThreadId waiter{static_cast<std::uint16_t>(other)};
      if (waiter == id || !is_held(waiter) || threads_[other].wants != lock) continue;
      ++realised_->count;
      if (realised_->used < kMaxRealised) realised_->steps[realised_->used++] = step_;
    }
  }

 private:
  struct Thread {
    std::uint32_t locks;  // number of locks that it holds
    ObjectId wants;       // the lock that it waits for while it is held back
    bool freed;           // let go, so its pending acquisition is executed without another check
  };

  bool is_aim(const Pending& next) const {
    if (!is_acquisition(next.op)) return false;
    for (const AimSite& target : aims_) {
      if (target.role == AimRole::kStep && matches(target, next)) return true;
    }
    return false;
  }

  void expired(ThreadId id) override { threads_[raw(id)].freed = true; }

  std::span<const AimSite> aims_;
  Realised* realised_ = nullptr;
  Thread* threads_;
  std::uint32_t highest_ = 0;  // highest number of a thread that was ever held back
  std::uint64_t step_ = 0;
};

}  // namespace

Strategy* make_deadlock(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Deadlock))) Deadlock(plan, allocate);
}

}  // namespace raddle
