#include "host/campaign/hunt/hunt_order.hpp"

namespace raddle {
namespace {

int rank(FindingKind kind) {
  switch (kind) {
    case FindingKind::lock_order:
      return 0;
    case FindingKind::race:
      return 1;
    case FindingKind::atomic_set:
      return 2;
    case FindingKind::serializability:
      return 3;
    case FindingKind::atomicity:
      return 4;
    case FindingKind::lockset:
      return 5;
  }
  return 6;
}

}  // namespace

bool comes_first(const HuntCandidate& a, const HuntCandidate& b) {
  if (a.level != b.level) return a.level > b.level;
  return rank(a.candidate.kind) < rank(b.candidate.kind);
}

}  // namespace raddle
