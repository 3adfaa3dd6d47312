#include "host/campaign/confirm/confirm.hpp"

#include <algorithm>
#include <utility>

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/deadlock/deadlock.hpp"
#include "host/analysis/lock_pattern/lock_pattern.hpp"
#include "host/campaign/confirm/deadlock_of.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// The pattern's accesses, in order.
std::vector<std::uint64_t> accesses_of(const ExecutionState& state, const Finding& finding) {
  std::vector<std::uint64_t> places;
  for (const FindingStep& step : finding.steps) {
    if (step.role != "enters the unit") places.push_back(state.stable(step.event.site));
  }
  return places;
}

// A detector that sees all that orders threads, and of the plain accesses those at some places
// only: the race detector says one race of each location, which may be another one of the same
// variable.
class OnlyAt final : public Detector {
 public:
  OnlyAt(const ExecutionState& state, std::unique_ptr<Detector> detector,
         std::vector<std::uint64_t> places)
      : state_(state), detector_(std::move(detector)), places_(std::move(places)) {}
  void on_event(const Event& event) override {
    const auto known = [&] {
      const std::uint64_t place = state_.stable(event.site);
      return std::find(places_.begin(), places_.end(), place) != places_.end();
    };
    if (!is_access(event.kind) || known()) detector_->on_event(event);
  }
  void finish() override { detector_->finish(); }
  std::vector<Finding> take_findings() override { return detector_->take_findings(); }

 private:
  const ExecutionState& state_;
  std::unique_ptr<Detector> detector_;
  std::vector<std::uint64_t> places_;
};

// Steps of a candidate name sites of another execution, and so of another table: what is compared
// is the stable hash, which was made from that table when the candidate was.
bool same(const ExecutionState& state, const Candidate& candidate, const Finding& finding) {
  if (finding.kind != candidate.kind) return false;
  switch (entry_of(finding.kind).confirmed_by) {
    case Confirms::kRaces:
    case Confirms::kDeadlocks:
      return finding.place == candidate.finding.place;
    case Confirms::kAtomicSets:
      return finding.place == candidate.finding.place ||
             (finding.pattern == candidate.pattern &&
              accesses_of(state, finding) == candidate.places);
    case Confirms::kAtomicity:
      return true;
    case Confirms::kNothing:
      return false;
  }
  return false;
}

}  // namespace

namespace {

AnalysisOptions options_for(const Execution& execution) {
  AnalysisOptions options;
  const std::uint8_t blocks = execution.plan.atomic_blocks;
  options.atomic.annotated = (blocks & kBlocksAnnotated) != 0;
  options.atomic.locks = (blocks & kBlocksLocks) != 0;
  options.atomic.functions = (blocks & kBlocksFunctions) != 0;
  return options;
}

void add_confirming(Pipeline& pipeline, const Candidate& candidate, const Execution& execution) {
  ExecutionState& state = pipeline.state();
  const AnalysisOptions options = options_for(execution);
  switch (entry_of(candidate.kind).confirmed_by) {
    case Confirms::kRaces:
      pipeline.add(
          std::make_unique<OnlyAt>(state, make_race_detector(state, options), candidate.places));
      return;
    case Confirms::kDeadlocks:
      pipeline.add(make_deadlock_detector(state, options));
      return;
    case Confirms::kAtomicSets: {
      AtomicSetOptions sets = asset_sets();
      sets.only_at = candidate.places;
      pipeline.add(std::make_unique<AtomicSetDetector>(state, sets));
      return;
    }
    case Confirms::kAtomicity: {
      const bool frames = (execution.plan.atomic_blocks & kBlocksFrames) != 0;
      pipeline.add(std::make_unique<LockPattern>(state, frames ? execution.realised : Realised{}));
      return;
    }
    case Confirms::kNothing:
      return;
  }
}

}  // namespace

std::unique_ptr<Pipeline> confirming_pipeline(const Candidate& candidate,
                                              const Execution& execution) {
  auto pipeline = std::make_unique<Pipeline>(options_for(execution));
  add_confirming(*pipeline, candidate, execution);
  return pipeline;
}

const Finding* confirmed_in(const Pipeline& pipeline, const Candidate& candidate) {
  for (const Finding& finding : pipeline.findings()) {
    if (same(pipeline.state(), candidate, finding)) return &finding;
  }
  return nullptr;
}

Candidate atom_candidate() {
  Candidate candidate;
  candidate.kind = FindingKind::atomicity;
  return candidate;
}

namespace {

// Step by step, with the events to the pipeline.
Result<Execution> replay_under(Pipeline& pipeline, Worker& worker, const Execution& execution,
                               const RunOptions& options) {
  pipeline.begin({});
  RunOptions running = options;
  running.events = &pipeline;
  Result<Execution> again = replay_strictly(worker, execution, running, ReplayDetail::kOutcome);
  if (again) pipeline.end({});
  return again;
}

bool is_another(const Execution& execution, const Execution& again) {
  return again.kind == OutcomeKind::kDiverged || again.log_hash != execution.log_hash;
}

}  // namespace

Result<std::vector<std::uint32_t>> seen_in(Worker& worker,
                                           std::span<const Candidate* const> candidates,
                                           const Execution& execution, const RunOptions& options) {
  std::vector<std::uint32_t> seen;
  if (candidates.empty()) return seen;
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(*candidates.front(), execution);
  for (std::size_t i = 1; i < candidates.size(); ++i)
    add_confirming(*pipeline, *candidates[i], execution);
  const Result<Execution> again = replay_under(*pipeline, worker, execution, options);
  if (!again) return Error{again.error()};
  if (is_another(execution, *again)) return seen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (confirmed_in(*pipeline, *candidates[i]) != nullptr)
      seen.push_back(static_cast<std::uint32_t>(i));
  }
  return seen;
}

Result<Confirmation> confirm_candidate(Worker& worker, const Candidate& candidate,
                                       const Execution& execution, const RunOptions& options) {
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(candidate, execution);
  const Result<Execution> again = replay_under(*pipeline, worker, execution, options);
  if (!again) return Error{again.error()};
  Confirmation confirmation;
  if (is_another(execution, *again)) {
    confirmation.why_not = "the same choices gave another execution";
    return confirmation;
  }
  // A cycle of locks is confirmed by nothing less than its deadlock.
  if (candidate.kind == FindingKind::lock_order && !is_deadlock_of(candidate, *again)) {
    confirmation.why_not =
        again->kind == OutcomeKind::kDeadlock ? "another deadlock" : "no deadlock";
    return confirmation;
  }
  if (candidate.kind == FindingKind::lock_order) {
    confirmation.confirmed = true;
    confirmation.finding = candidate.finding;
  }
  for (const Finding& finding : pipeline->findings()) {
    if (confirmation.confirmed || !same(pipeline->state(), candidate, finding)) continue;
    confirmation.confirmed = true;
    confirmation.finding = finding;
  }
  confirmation.finding.level = FindingLevel::kConfirmed;
  if (confirmation.confirmed) {
    SourceLines sources;
    // The steps of a cycle of locks are those of the execution that showed it: other sites.
    Finding told = confirmation.finding;
    if (candidate.kind == FindingKind::lock_order) told.steps.clear();
    confirmation.story = describe(told, pipeline->names(), sources);
  }
  if (!confirmation.confirmed) confirmation.why_not = "the detector does not see it";
  return confirmation;
}

}  // namespace raddle
