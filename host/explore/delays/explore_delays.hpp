// An exploration that also holds events back (event_game.hpp), from its first execution to its end:
// what explore() is for the other strategies, with one executor.
#pragma once

#include <vector>

#include "host/explore/delays/held_events.hpp"
#include "host/explore/explore.hpp"

namespace raddle {

struct EventDelays {
  Prospect prospect = Prospect::kOpen;  // of holding events back so that nothing fails
  bool least = false;                   // nothing is held back that could go
  bool saw_events = false;
  std::uint64_t states = 0;
  std::vector<GameEvent> events;
  std::vector<HeldEvent> held;  // kGood: the choices that do it
};

struct DelayedExploration {
  ExploreResult result;
  EventDelays delays;
};

// Of the options, `search`, `journal` and `keep_going` are not used. With Plan::detail the events
// have callers.
Result<DelayedExploration> explore_delays(Executor& executor, const ExploreOptions& options,
                                          const ExploreEvents& events);

}  // namespace raddle
