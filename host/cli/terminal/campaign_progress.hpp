// How far a campaign is, in words and numbers for the progress line. Pure.
#pragma once

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/campaign/hunt/hunt.hpp"
#include "host/cli/terminal/progress.hpp"
#include "host/explore/explore.hpp"

namespace raddle {

// `seconds` have passed; a campaign ends after `budget` at the latest. `executions` are all there
// are to be; 0: as many as the budget allows.
Progress progress_of(const FuzzCounts& counts, std::uint64_t executions, double seconds,
                     double budget);
Progress progress_of(const HuntCounts& counts, double seconds, double budget);
Progress progress_of(const ExploreProgress& progress, double budget);

inline double in_seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace raddle
