// Locks that were acquired and given back with nothing done under them, because a trylock of
// another one failed: std::lock and std::scoped_lock take several locks like that. Whoever backs
// off has changed nothing and seen nothing, so such a pair is no conflict with anybody.
//
// A detector keeps one of these for each thread, holds an acquire back in it while nothing has come
// after it that could count, and takes it out again with the release. A failed trylock is no event;
// it is known by its decision, which no acquire follows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/event.hpp"
#include "protocol/ops.hpp"

namespace raddle {

template <class Acquire>  // has `lock`, its address
class BackingOff {
 public:
  void decision(const Event& event) {
    const auto op = static_cast<OpKind>(event.value & 0xff);
    if (op == OpKind::mutex_trylock || op == OpKind::rwlock_tryread ||
        op == OpKind::rwlock_trywrite || op == OpKind::spin_trylock)
      trying_ = true;
  }
  void hold_back(Acquire acquire) {
    trying_ = false;
    held_back_.push_back(std::move(acquire));
  }
  void acquired() { trying_ = false; }
  // True: the release takes the last acquire back, and neither counts.
  bool takes_back(std::uint64_t lock) {
    if (!trying_ || held_back_.empty() || held_back_.back().lock != lock) return false;
    held_back_.pop_back();
    return true;
  }
  bool empty() const { return held_back_.empty(); }
  const std::vector<Acquire>& held_back() const { return held_back_; }
  // Something has come after them: they count.
  std::vector<Acquire> settle() {
    trying_ = false;
    return std::exchange(held_back_, {});
  }
  void clear() {
    trying_ = false;
    held_back_.clear();
  }

 private:
  std::vector<Acquire> held_back_;  // outermost first
  bool trying_ = false;             // a trylock was the last thing done to a lock
};

}  // namespace raddle
