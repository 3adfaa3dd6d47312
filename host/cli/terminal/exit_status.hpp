// What the process tells its caller. The commands return one of these, and so does main().
#pragma once

#include "host/report/document/document.hpp"

namespace raddle {

enum ExitStatus : int {
  kNothingFound = 0,
  kFailingFound = 1,     // for a detector alone: a candidate
  kBadInput = 2,         // usage, or something is wrong with what the user gave
  kInconclusiveEnd = 3,  // no verdict: not controlled, a limit, interrupted, a replay that diverged
};

constexpr ExitStatus exit_status(DocumentVerdict verdict) {
  switch (verdict) {
    case DocumentVerdict::kNothingFound:
      return kNothingFound;
    case DocumentVerdict::kFound:
      return kFailingFound;
    case DocumentVerdict::kBadInput:
      return kBadInput;
    case DocumentVerdict::kInconclusive:
      return kInconclusiveEnd;
  }
  return kBadInput;
}

}  // namespace raddle
