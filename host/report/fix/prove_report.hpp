// The result of `raddle fix --prove`: whether the failure is gone from the program that was built
// with the property, and what was looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/report/document/document.hpp"
#include "host/report/results/explore_report.hpp"

namespace raddle {

// A failing schedule, as far as the program lets it come about again.
struct GuidedRun {
  std::string replay;
  std::string recorded;         // how it ended then, in words
  bool confirmed_only = false;  // it did not fail then: what it shows was confirmed
  std::size_t turns = 0;        // of the schedule
  std::size_t followed = 0;     // of these, from the first on, that the same threads had again
  OutcomeKind outcome = OutcomeKind::kNone;
  std::string unfinished;  // why it says nothing; empty if it ended by itself
};

enum class AfterFix : std::uint8_t { kGone, kSameFailure, kDeadlock, kOtherFailure };

struct ProveReport {
  std::string program;
  std::vector<GuidedRun> guided;
  std::optional<ExploreReport> explored;
  std::optional<FuzzResult> fuzzed;  // if the exploration did not come to its end
  AfterFix found = AfterFix::kGone;
  std::optional<FailureGroup> failure;  // the first
  std::string found_by;                 // "the failing schedule", "the exploration", "fuzzing"
  bool interrupted = false;
};

Document document_of(const ProveReport& report);

}  // namespace raddle
