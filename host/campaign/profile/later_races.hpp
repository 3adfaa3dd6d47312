// Races that only the schedules show that are gone through in order. Which plain accesses are
// decision points is learnt from a few recorded executions; a race that none of them had would make
// a difference between schedules that were taken for one. So what was executed in order is recorded
// before all schedules are called covered.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "host/base/result.hpp"
#include "host/process/worker.hpp"
#include "host/replay/aims.hpp"

namespace raddle {

class LaterRaces {
 public:
  // An execution of those that are gone through in order, with its log.
  void keep(const Execution& execution);

  enum class Found : std::uint8_t {
    kNothing,
    kPlaces,  // `known` has more of them: there are schedules that were not gone through
    kUnsure,  // there was no time to look, or an execution was another one when executed again
  };
  // Whether one of those that were kept has a race at a place that is not among `known`. Asks
  // `is_over` before each execution. An error means that none could be started.
  Result<Found> find(Worker& worker, const std::function<RunOptions()>& running,
                     const std::function<bool()>& is_over, AimList& known);

 private:
  std::vector<Execution> kept_;
  bool unsure_ = false;
};

}  // namespace raddle
