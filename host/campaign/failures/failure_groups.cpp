#include "host/campaign/failures/failure_groups.hpp"

#include <algorithm>
#include <utility>

#include "host/process/strict_replay.hpp"

namespace raddle {

void FailureGroups::add(Execution execution, Symbolizer& symbols) {
  Failure failure = describe(execution, symbols);
  const auto same = std::find_if(list_.begin(), list_.end(), [&](const FailureGroup& finding) {
    return finding.failure.group == failure.group;
  });
  if (same != list_.end()) {
    ++same->count;
    return;
  }
  FailureGroup finding;
  finding.failure = std::move(failure);
  finding.count = 1;
  finding.first_seed = execution.plan.seed;
  finding.execution = std::move(execution);
  list_.push_back(std::move(finding));
}

void replay_and_explain(FailureGroup& finding, Worker& worker, const RunOptions& options,
                        Symbolizer& symbols) {
  using Difference = ReplayDifference::Kind;
  const Execution& first = finding.execution;
  KeptTrace trace;
  RunOptions listening = options;
  listening.events = &trace;
  Result<Execution> again = replay_strictly(worker, first, listening, ReplayDetail::kFull);
  if (!again) {
    finding.difference = {.kind = Difference::kError, .error = again.error()};
    return;
  }
  Failure failure = describe(*again, symbols);
  if (again->kind != first.kind || failure.group != finding.failure.group) {
    const bool passed = again->kind == OutcomeKind::kNone;
    finding.difference.kind = passed ? Difference::kPassed : Difference::kOtherFailure;
    if (!passed) finding.difference.failure = std::move(failure);
    return;
  }
  if (again->log_hash != first.log_hash) {
    finding.difference = {
        .kind = Difference::kOtherLength, .steps = again->steps, .recorded_steps = first.steps};
    return;
  }
  finding.replays = true;
  finding.explanation = explain(trace, failure, symbols);
  finding.failure = std::move(failure);
  finding.execution = std::move(*again);
}

}  // namespace raddle
