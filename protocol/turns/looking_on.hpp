// A loop that waits by trying again may give up: after twenty looks, say, it goes to sleep instead.
// That matters to everybody, and protocol/turns/idle_fairness.hpp would never let it happen while
// others can move. So explorers also let a thread that has no turn look on by itself until it does
// something else. If it has not after kEndlessLooks, the loop counts as one that never gives up,
// and that execution is of no use.
//
// While the thread repeats what it did in its first round, nobody else needs to move: that would
// only change how often it looked. In the first round, and wherever else it comes to, anybody may.
//
// Used by the strategy "systematic" while it runs, and by explorers for the same decisions
// afterwards.
#pragma once

#include <cstdint>

#include "protocol/turns/idle_fairness.hpp"

namespace raddle {

// Of a thread that was caught spinning nobody knows how often it looked.
constexpr bool may_look_on(OpKind op) { return is_idle_op(op) && op != OpKind::spin; }

class LookingOn {
 public:
  enum class Next : std::uint8_t {
    kAnybody,  // the thread goes on, but others might
    kAlone,    // the thread repeats itself
    kOver,     // it has given up its loop, or waits for others: back to the rule
    kEndless,
  };

  // Behind the step without a turn.
  void start(OpKind op, std::uint64_t site) {
    places_ = 0;
    add(op, site);
    whole_round_ = false;
  }

  // Before each further step, until it is over. `pending` is null if the thread cannot move;
  // `repeats` is what IdleFairness has counted.
  Next next(const Pending* pending, std::uint32_t repeats) {
    if (pending == nullptr || !(may_look_on(pending->op) || is_round_op(pending->op)))
      return Next::kOver;
    if (repeats >= kEndlessLooks) return Next::kEndless;
    if (is_place(0, *pending)) whole_round_ = true;
    if (!whole_round_) {
      if (places_ == kPlaces) return Next::kOver;
      add(pending->op, pending->site);
      return Next::kAnybody;
    }
    for (std::uint32_t i = 0; i < places_; ++i) {
      if (is_place(i, *pending)) return Next::kAlone;
    }
    return Next::kOver;
  }

 private:
  static constexpr std::uint32_t kPlaces = 16;  // of one round; a longer one is no loop that waits

  struct Place {
    std::uint64_t site;
    OpKind op;
  };

  void add(OpKind op, std::uint64_t site) { place_[places_++] = {site, op}; }
  bool is_place(std::uint32_t i, const Pending& p) const {
    return place_[i].site == p.site && place_[i].op == p.op;
  }

  Place place_[kPlaces];
  std::uint32_t places_ = 0;
  bool whole_round_ = false;
};

}  // namespace raddle
