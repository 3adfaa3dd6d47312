// Two units of work in a given order, from the same point: the guide of an execution (see
// target/strategy/guided.hpp) that stops both threads before their units, lets the units run as
// asked, and then interrupts nobody: what else goes wrong later in the execution that it was made
// from is another matter.
//
// All counts are steps of one thread since it began, as in a Turn: they mean the same in every
// execution in which the thread did the same until then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "host/campaign/minimize/schedule.hpp"
#include "protocol/choice_log.hpp"

namespace raddle {

// A unit, by where its thread stands before it and after it.
struct UnitTurn {
  ThreadId thread{};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// How many steps each thread has made when the log has come to a step.
class StepCounts {
 public:
  explicit StepCounts(std::span<const StepRecord> log);
  std::uint64_t of(ThreadId thread, std::uint64_t step) const;

 private:
  std::map<ThreadId, std::vector<std::uint64_t>> steps_;  // of the log, that are the thread's
};

struct UnitOrder {
  std::vector<Turn> before;  // until both threads stand before their units
  std::vector<Turn> units;   // what is asked for
  std::vector<StepRecord> values;

  std::vector<StepRecord> guide() const;
};

// Everything but `units`. `first` is the one that begins earlier in the log, at `first_at`; the
// other begins at `other_at`. What other threads did in between is done before both.
UnitOrder common_order(std::span<const StepRecord> log, ThreadId first, std::uint64_t first_at,
                       std::uint64_t other_at);

// The execution did what `units` asks for, turn by turn, and nobody else ran in between: the index
// in its log after the last of these turns. Nothing if it could not be done.
std::optional<std::uint64_t> followed(const UnitOrder& order, std::span<const StepRecord> log);

}  // namespace raddle
