// What the sources of the scheduler share about the execution under way. start.cpp sets it from the
// plan; nobody outside sched/ includes this.
#pragma once

#include <cstdint>

#include "target/strategy/random.hpp"

namespace raddle {

extern Strategy* g_strategy;
extern Random* g_random;       // the strategy, if it is this one: asked without a call
extern std::uint64_t g_steps;  // made so far
extern std::uint64_t g_max_steps;
extern bool g_fibers;               // the carrier is that of fibers
extern bool g_outside_changed;      // see outside_changed()
extern bool g_time_stands_still;    // see exploring()
extern std::uint64_t g_next_point;  // step; see snapshot/snapshot.hpp
inline void take_no_points() { g_next_point = ~std::uint64_t{0}; }

// The execution goes on at this step for the plan that the region has now.
void go_on_for_plan();

// Attention::extra_work: the plan asks more of each decision than the choice, namely to follow a
// recording, to log who is enabled, to remember details, to let idle time pass.

}  // namespace raddle
