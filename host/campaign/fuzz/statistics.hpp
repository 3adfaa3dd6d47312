// How sure a measured rate is.
#pragma once

#include <cstdint>

namespace raddle {

struct Interval {
  double low = 0;
  double high = 1;
};

// Wilson's 95 % score interval of a proportion: `hits` of `trials`. Unlike the textbook interval it
// stays within [0, 1] and is honest at 0 of n and n of n. [0, 1] for no trials.
Interval wilson95(std::uint64_t hits, std::uint64_t trials);

}  // namespace raddle
