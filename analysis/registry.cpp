// The detectors, one line each, in the order in which they are listed and run.
#include "analysis/pipeline.hpp"
#include "analysis/race.hpp"

namespace raddle {

const std::vector<DetectorEntry>& detector_registry() {
  static const std::vector<DetectorEntry> registry{
      {"race", "accesses that nothing orders (happens-before)", make_race_detector},
  };
  return registry;
}

}  // namespace raddle
