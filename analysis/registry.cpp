// The detectors, one line each.
#include "analysis/pipeline.hpp"

namespace raddle {

const std::vector<DetectorEntry>& detector_registry() {
  static const std::vector<DetectorEntry> registry{};
  return registry;
}

}  // namespace raddle
