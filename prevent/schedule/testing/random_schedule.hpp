// Random schedules and traces over a few events and threads, so that they have much in common.
#pragma once

#include <random>
#include <string>

#include "prevent/schedule/testing/oracle.hpp"

namespace raddle::schedule {

// The text of a schedule with up to `most` rules. It can be parsed; it may be cyclic.
std::string random_schedule(std::mt19937& random, unsigned most);

// Events a to e of threads t0 to t2, with start, end, block and unblock where they can be.
Trace random_trace(std::mt19937& random, unsigned most);

inline unsigned below(std::mt19937& random, unsigned count) { return unsigned(random() % count); }

}  // namespace raddle::schedule
