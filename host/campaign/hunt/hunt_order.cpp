#include "host/campaign/hunt/hunt_order.hpp"

namespace raddle {

bool comes_first(const HuntFinding& a, const HuntFinding& b) {
  if (a.level != b.level) return a.level > b.level;
  return entry_of(a.finding.kind).rank < entry_of(b.finding.kind).rank;
}

}  // namespace raddle
