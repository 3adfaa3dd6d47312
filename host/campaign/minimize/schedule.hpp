// An execution as turns: who ran, and how far, before another thread ran. What minimizing changes;
// as a guide (target/strategy/guided.hpp) it can be executed again, changed or not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/choice_log.hpp"

namespace raddle {

struct Turn {
  ThreadId thread{};
  std::uint64_t until = 0;  // steps that the thread has made at its end, since it began
  bool operator==(const Turn&) const = default;
};

struct Schedule {
  std::vector<Turn> turns;
  std::vector<StepRecord> values;  // value choices, in order
};

// The turns of an execution: consecutive ones are of different threads.
Schedule schedule_of(std::span<const StepRecord> log);

// What a guided execution follows.
std::vector<StepRecord> guide_of(const Schedule& schedule);

}  // namespace raddle
