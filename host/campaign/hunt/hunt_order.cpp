#include "host/campaign/hunt/hunt_order.hpp"

namespace raddle {

bool comes_first(const HuntCandidate& a, const HuntCandidate& b) {
  if (a.level != b.level) return a.level > b.level;
  return entry_of(a.candidate.kind).rank < entry_of(b.candidate.kind).rank;
}

}  // namespace raddle
