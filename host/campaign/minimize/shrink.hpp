// Makes a schedule smaller while it still does what it did: the search of `raddle minimize`, which
// knows nothing of programs. Deterministic: the same answers of `attempt` give the same result.
//
// Smaller means fewer preemptions, then fewer switches, then fewer steps. The moves are those of
// delta debugging (Zeller and Hildebrandt 2002) and of Jalbert and Sen's simplification of
// concurrent traces (2010), over turns:
//   take out       a run of turns, first half of all, then ever fewer, then one: its steps are
//                  made at the thread's next turn, or after all others;
//   run on         a turn goes on to the end of the thread's next turn, or of its last;
//   go first       a turn changes places with the one before it.
// They are repeated until none helps any more. Where few turns are left, what needs more attempts
// is tried then: to take out any two, to put a turn anywhere, to let it end at another step; and,
// if more than one preemption is left, one or two at all places where they may be.
//
// Deviations. Delta debugging asks only whether a subset fails; here an answer must also be
// smaller, since a turn less can mean a preemption more. And after each success the turns of the
// execution that really happened take the place of those that were asked for.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>

#include "host/campaign/minimize/schedule.hpp"

namespace raddle {

struct ScheduleCost {
  std::uint64_t preemptions = 0;
  std::uint64_t switches = 0;
  std::uint64_t steps = 0;
  auto operator<=>(const ScheduleCost&) const = default;
};

// An execution that does what it should: its own turns, and what they cost.
struct Attempted {
  Schedule schedule;
  ScheduleCost cost;
};

// Executes a schedule as far as that is possible; nothing if the execution does not do what it
// should.
using Attempt = std::function<std::optional<Attempted>(const Schedule&)>;
// A smaller one was found. False: it does not count after all, and the search goes on from the one
// before.
using Accept = std::function<bool(const Attempted&)>;

struct ShrinkControl {
  Attempt attempt;
  Accept accept = [](const Attempted&) { return true; };
  std::function<bool()> over = [] { return false; };  // out of time, or interrupted
};

struct Shrunk {
  Attempted best;
  std::uint64_t attempts = 0;
  bool complete = false;  // no move makes it smaller; false: over() said so
};

Shrunk shrink(Attempted first, const ShrinkControl& control);

}  // namespace raddle
