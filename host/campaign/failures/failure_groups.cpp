#include "host/campaign/failures/failure_groups.hpp"

#include <algorithm>
#include <utility>

#include "host/describe/waited_names.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {

const FailureGroup& FailureGroups::add(Execution execution, Symbolizer& symbols) {
  return add(std::move(execution), symbols,
             [](const Execution&, const Execution&) { return false; });
}

const FailureGroup& FailureGroups::add(Execution execution, Symbolizer& symbols, IsBetter better) {
  Failure failure = describe(execution, symbols);
  const auto same = std::find_if(list_.begin(), list_.end(), [&](const FailureGroup& finding) {
    return finding.failure.group == failure.group;
  });
  if (same != list_.end()) {
    ++same->count;
    if (better(execution, same->execution)) {
      same->failure = std::move(failure);
      same->first_seed = execution.plan.seed;
      same->execution = std::move(execution);
    }
    return *same;
  }
  FailureGroup finding;
  finding.failure = std::move(failure);
  finding.count = 1;
  finding.first_seed = execution.plan.seed;
  finding.execution = std::move(execution);
  return list_.emplace_back(std::move(finding));
}

namespace {

constexpr std::chrono::milliseconds kHurry{300};

bool was_cut_off(const Execution& execution) {
  return execution.ended_by_host || execution.kind == OutcomeKind::kLimit;
}

}  // namespace

RunOptions last_look(Clock::duration timeout, const std::atomic<bool>* stop) {
  if (stop == nullptr || !stop->load()) return {.timeout = timeout, .stop = stop};
  const bool longer = timeout == Clock::duration{} || timeout > kHurry;
  return {.timeout = longer ? Clock::duration{kHurry} : timeout};
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
  if (again->kind != first.kind && was_cut_off(*again)) {
    finding.difference = {.kind = Difference::kError, .error = "there was no time to see it end"};
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
  name_waited_for(failure, trace, symbols);
  finding.explanation = explain(trace, failure, symbols);
  finding.timeline = timeline_of(trace, failure, symbols);
  mark(finding.timeline, finding.explanation);
  finding.failure = std::move(failure);
  finding.execution = std::move(*again);
}

}  // namespace raddle
