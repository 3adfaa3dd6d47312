// Base of the strategies that confirm: a random schedule that holds some threads back until
// something happens.
//
// Holding back never stops the program. If all enabled threads are held back, pick() lets go a
// random one (line 30 of Algorithm 2 of Park and Sen 2008). It does the same if the others only
// wait in loops: they may wait for what a held-back thread would do next. And pick() lets go every
// thread that was held back for more than Plan::max_pause steps. That is the monitor of the paper's
// section 4, except that it counts steps instead of time, so that an execution is a function of its
// plan.
#pragma once

#include "protocol/generator.hpp"
#include "target/strategy/strategy.hpp"
#include "target/strategy/table.hpp"

namespace raddle {

// For a plan without max_pause.
inline constexpr std::uint64_t kDefaultMaxPause = 2'000;
// So many idle steps in a row, and a held-back thread is let go.
inline constexpr std::uint64_t kIdlePatience = 64;
// A thread that was caught spinning spent some hundredths of a second on it: it counts for more.
inline constexpr std::uint64_t kSpinWeight = 16;

class Holding {
 public:
  Holding(const Plan& plan, Allocate allocate)
      : generator_(plan.seed),
        max_pause_(plan.max_pause != 0 ? plan.max_pause : kDefaultMaxPause),
        held_(static_cast<std::uint64_t*>(allocate(kThreads * sizeof(std::uint64_t)))),
        contexts_(static_cast<std::uint64_t*>(allocate(kThreads * sizeof(std::uint64_t)))) {}

  Generator& generator() { return generator_; }

  void hold(ThreadId thread, std::uint64_t step) {
    held_[raw(thread)] = step + 1;
    ++count_;
  }
  void let_go(ThreadId thread) {
    if (held_[raw(thread)] != 0) --count_;
    held_[raw(thread)] = 0;
  }
  bool is_held(ThreadId thread) const { return held_[raw(thread)] != 0; }
  std::uint64_t held() const { return count_; }

  // A strategy calls it with what on_place() says, because matches() needs it.
  void set_context(ThreadId thread, std::uint64_t context) { contexts_[raw(thread)] = context; }

  // True if the pending operation is at the aim's site, in the aim's calling context.
  bool matches(const AimSite& target, const Pending& next) const {
    return target.site == next.site &&
           (target.context == 0 || target.context == contexts_[raw(next.thread)]);
  }

  // Returns the index of a random enabled thread that is not held back. First lets go the threads
  // that were held back for too long. If all are held back, or the others have only been idle for
  // long, lets go a random one, returns it, and sets `broken`.
  std::size_t pick(const View& view, bool& broken) {
    broken = false;
    if (count_ == 0) return below(view.enabled.size());
    std::size_t free = 0;
    for (const Pending* pending : view.enabled) {
      std::uint64_t since = held_[raw(pending->thread)];
      if (since != 0 && view.step + 1 - since > max_pause_) {
        let_go(pending->thread);
        expired(pending->thread);
        since = 0;
      }
      if (since == 0) ++free;
    }
    const std::size_t all = view.enabled.size();
    if (free == 0 || (free < all && idle_ > kIdlePatience)) {
      broken = true;
      idle_ = 0;
      const std::size_t index = nth(view, below(all - free), true);
      let_go(view.enabled[index]->thread);
      return index;
    }
    const std::size_t index = nth(view, below(free), false);
    const OpKind op = view.enabled[index]->op;
    idle_ = !is_idle_op(op) ? 0 : idle_ + (op == OpKind::spin ? kSpinWeight : 1);
    return index;
  }

 protected:
  // pick() calls it for a thread that was held back for too long, after letting it go.
  virtual void expired(ThreadId) {}
  ~Holding() = default;

 private:
  static constexpr std::size_t kThreads = 0x10000;

  std::size_t below(std::size_t count) { return count == 1 ? 0 : generator_.below(count); }

  // Index of the nth enabled thread that is held back, or of the nth that is not.
  std::size_t nth(const View& view, std::size_t n, bool held) const {
    std::size_t i = 0;
    while (is_held(view.enabled[i]->thread) != held || n-- > 0) ++i;
    return i;
  }

  Generator generator_;
  std::uint64_t max_pause_;
  std::uint64_t* held_;      // by thread: step at which it was held back, plus 1; 0: not held
  std::uint64_t* contexts_;  // by thread: calling context of its pending operation
  std::uint64_t count_ = 0;
  std::uint64_t idle_ = 0;  // weight of the idle steps since the last one that was not
};

constexpr bool is_acquisition(OpKind op) {
  return op == OpKind::mutex_lock || op == OpKind::rwlock_read || op == OpKind::rwlock_write ||
         op == OpKind::spin_lock;
}

}  // namespace raddle
