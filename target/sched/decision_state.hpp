// What the sources of the scheduler share about the execution under way. start.cpp sets it from the
// plan; nobody outside sched/ includes this.
#pragma once

#include <cstdint>

#include "target/strategy/strategy.hpp"

namespace raddle {

extern Strategy* g_strategy;
extern std::uint64_t g_steps;  // made so far
extern std::uint64_t g_max_steps;
extern bool g_fibers;             // the carrier is that of fibers
extern bool g_tells_places;       // the strategy may want to know where threads are
extern bool g_outside_changed;    // see outside_changed()
extern bool g_time_stands_still;  // see exploring()
// The plan asks more of each decision than the choice: to follow a recording, to log who is
// enabled, to remember details, to let idle time pass.
extern bool g_extra_work;

}  // namespace raddle
