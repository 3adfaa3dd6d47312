#include "host/campaign/failures/failure_groups.hpp"

#include <fmt/format.h>

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

void add_note(std::vector<Note>& notes, const std::string& text, std::uint64_t seed) {
  const auto same =
      std::find_if(notes.begin(), notes.end(), [&](const Note& n) { return n.text == text; });
  if (same != notes.end()) {
    ++same->count;
  } else {
    notes.push_back({text, 1, seed});
  }
}

void replay_and_explain(FailureGroup& finding, Worker& worker, const RunOptions& options,
                        Symbolizer& symbols) {
  const Execution& first = finding.execution;
  KeptTrace trace;
  RunOptions listening = options;
  listening.events = &trace;
  Result<Execution> again = replay_strictly(worker, first, listening, ReplayDetail::kFull);
  if (!again) {
    finding.replay_note = again.error();
    return;
  }
  Failure failure = describe(*again, symbols);
  if (again->kind != first.kind || failure.group != finding.failure.group) {
    finding.replay_note =
        again->kind == OutcomeKind::kNone ? "the same choices passed" : failure.headline;
    return;
  }
  if (again->log_hash != first.log_hash) {
    finding.replay_note = fmt::format("the same failure, but after {} steps instead of {}",
                                      again->steps, first.steps);
    return;
  }
  finding.replays = true;
  finding.explanation = explain(trace, failure, symbols);
  finding.failure = std::move(failure);
  finding.execution = std::move(*again);
}

}  // namespace raddle
