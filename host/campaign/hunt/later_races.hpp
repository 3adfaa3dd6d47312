// Races that only the schedules show that are gone through in order. Which plain accesses are
// decision points is learnt from a few recorded executions; a race that none of them had would make
// a difference between schedules that were taken for one. So what was executed in order is recorded
// before all schedules are called covered.
#pragma once

#include <vector>

#include "host/campaign/hunt/hunt_state.hpp"

namespace raddle {

class LaterRaces {
 public:
  // An execution of the systematic part, with its log.
  void keep(const Execution& execution);

  // Whether one of those that were kept has a race at a place that is no decision point: then it is
  // one from now on (HuntState::racing), and what was covered is not. Nothing: there was no time to
  // look at all of them, or one was another execution when it was executed again.
  std::optional<bool> find(HuntState& state);

 private:
  std::vector<Execution> kept_;
  bool unsure_ = false;
};

}  // namespace raddle
