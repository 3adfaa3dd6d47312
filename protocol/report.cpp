#include "protocol/report.hpp"

namespace raddle {

const char* outcome_text(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kNone:
      return "passed";
    case OutcomeKind::kAssertion:
      return "assertion";
    case OutcomeKind::kCrash:
      return "crash";
    case OutcomeKind::kException:
      return "exception";
    case OutcomeKind::kExit:
      return "exit";
    case OutcomeKind::kDeadlock:
      return "deadlock";
    case OutcomeKind::kLivelock:
      return "livelock";
    case OutcomeKind::kLeaked:
      return "leaked thread";
    case OutcomeKind::kLimit:
      return "limit";
    case OutcomeKind::kInconclusive:
      return "inconclusive";
    case OutcomeKind::kPossibleHang:
      return "possible hang";
    case OutcomeKind::kDiverged:
      return "diverged";
    case OutcomeKind::kMemoryFault:
      return "memory fault";
  }
  return "unknown";
}

}  // namespace raddle
