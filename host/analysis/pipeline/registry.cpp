// The detectors, one line each, in the order in which they are listed and run.
#include "host/analysis/atomizer/atomizer.hpp"
#include "host/analysis/atomset/atomset.hpp"
#include "host/analysis/deadlock/deadlock.hpp"
#include "host/analysis/lifetime/lifetime.hpp"
#include "host/analysis/lockset/lockset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/race/race.hpp"
#include "host/analysis/serial/serial.hpp"

namespace raddle {

const std::vector<DetectorEntry>& detector_registry() {
  static const std::vector<DetectorEntry> registry{
      {"race", "accesses that nothing orders (happens-before)", true, 5, make_race_detector},
      {"lifetime", "memory that is used after it was freed", true, 2, make_lifetime_detector},
      {"lockset", "data without a common lock (Eraser)", true, 5, make_lockset_detector},
      {"atomizer", "atomic blocks that cannot be reduced (Lipton)", false, 10, make_atomizer},
      {"serial", "atomic blocks that no serial execution explains", false, 6, make_serial_detector},
      {"atomset", "data that belongs together, seen or left apart (atomic sets)", true, 26,
       make_atomset_detector},
      {"deadlock", "locks acquired in a cycle", false, 2, make_deadlock_detector},
  };
  return registry;
}

}  // namespace raddle
