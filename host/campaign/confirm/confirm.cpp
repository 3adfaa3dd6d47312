#include "host/campaign/confirm/confirm.hpp"

#include <algorithm>
#include <utility>

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/deadlock/deadlock.hpp"
#include "host/analysis/lifetime/lifetime.hpp"
#include "host/analysis/lock_pattern/lock_pattern.hpp"
#include "host/analysis/race/announcement.hpp"
#include "host/analysis/race/publication.hpp"
#include "host/campaign/confirm/deadlock_of.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// The pattern's accesses, in order.
std::vector<std::uint64_t> accesses_of(const ExecutionState& state, const Finding& finding) {
  std::vector<std::uint64_t> places;
  for (const FindingStep& step : finding.steps) {
    if (step.role != FindingRole::enters_unit) places.push_back(state.stable(step.event.site));
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

bool same(const ExecutionState& state, const SoughtFinding& sought, const Finding& finding) {
  const Confirms by = entry_of(finding.kind).confirmed_by;
  if (by != entry_of(sought.kind).confirmed_by) return false;
  switch (by) {
    case Confirms::kRaces:
    case Confirms::kLifetimes:
    case Confirms::kDeadlocks:
      return finding.place == sought.place;
    case Confirms::kAtomicSets:
      return finding.place == sought.place ||
             (finding.pattern == sought.pattern && accesses_of(state, finding) == sought.places);
    case Confirms::kAtomicity:
      return sought.place == 0 || finding.place == sought.place;
    case Confirms::kNothing:
      return false;
  }
  return false;
}

}  // namespace

AnalysisOptions analysis_of(const Execution& execution) {
  AnalysisOptions options;
  const std::uint8_t blocks = execution.plan.atomic_blocks;
  options.atomic.annotated = (blocks & kBlocksAnnotated) != 0;
  options.atomic.locks = (blocks & kBlocksLocks) != 0;
  options.atomic.functions = (blocks & kBlocksFunctions) != 0;
  return options;
}

namespace {

std::unique_ptr<LockPattern> lock_pattern_of(ExecutionState& state, const Execution& execution) {
  const bool frames = (execution.plan.atomic_blocks & kBlocksFrames) != 0;
  return std::make_unique<LockPattern>(state, frames ? execution.realised : Realised{});
}

void add_confirming(Pipeline& pipeline, const SoughtFinding& sought, const Execution& execution) {
  ExecutionState& state = pipeline.state();
  const AnalysisOptions options = analysis_of(execution);
  switch (entry_of(sought.kind).confirmed_by) {
    case Confirms::kRaces:
    case Confirms::kLifetimes:
      for (auto* make : {make_race_detector, make_lifetime_detector})
        pipeline.add(std::make_unique<OnlyAt>(state, make(state, options), sought.places));
      return;
    case Confirms::kDeadlocks:
      pipeline.add(make_deadlock_detector(state, options));
      return;
    case Confirms::kAtomicSets:
      // Whoever predicted it may have taken several calls for one unit, or not.
      for (const bool joint : {true, false}) {
        AtomicSetOptions sets = asset_sets(joint);
        sets.only_at = sought.places;
        pipeline.add(std::make_unique<AtomicSetDetector>(state, sets));
      }
      return;
    case Confirms::kAtomicity:
      pipeline.add(lock_pattern_of(state, execution));
      return;
    case Confirms::kNothing:
      return;
  }
}

}  // namespace

std::unique_ptr<Pipeline> confirming_pipeline(const SoughtFinding& sought,
                                              const Execution& execution) {
  auto pipeline = std::make_unique<Pipeline>(analysis_of(execution));
  add_confirming(*pipeline, sought, execution);
  return pipeline;
}

const Finding* confirmed_in(const Pipeline& pipeline, const SoughtFinding& sought) {
  for (const Finding& finding : pipeline.findings()) {
    if (same(pipeline.state(), sought, finding)) return &finding;
  }
  return nullptr;
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

Confirmation not_confirmed(const char* why_not) {
  Confirmation confirmation;
  confirmation.why_not = why_not;
  return confirmation;
}

// `steps`: as the detector saw them in this execution, so that its sites name them.
Confirmation confirmed_as(Finding finding, const Pipeline& pipeline, bool steps = true) {
  Confirmation confirmation;
  confirmation.confirmed = true;
  finding.level = FindingLevel::kConfirmed;
  StorySources sources;
  Finding told = finding;
  if (!steps) told.steps.clear();
  confirmation.story = describe(told, pipeline.names(), sources);
  confirmation.finding = std::move(finding);
  return confirmation;
}

// A cycle of locks is confirmed by nothing less than its deadlock.
Confirmation confirm_cycle(const Candidate& candidate, const Execution& again,
                           const Pipeline& pipeline) {
  if (!is_deadlock_of(candidate, again))
    return not_confirmed(again.kind == OutcomeKind::kDeadlock ? "another deadlock" : "no deadlock");
  // The steps are those of the execution that showed the cycle: other sites.
  return confirmed_as(candidate.finding, pipeline, false);
}

// What could have ordered the accesses of a race, and does not. Both listen to a pipeline.
struct RaceReasons {
  const Publications* publications = nullptr;
  const Announcements* announcements = nullptr;

  RaceReasons(Pipeline& pipeline, const SoughtFinding& sought) {
    if (sought.kind != FindingKind::race) return;
    auto published = std::make_unique<Publications>(pipeline.state(), sought.places);
    auto announced = std::make_unique<Announcements>(pipeline.state(), sought.places);
    publications = published.get();
    announcements = announced.get();
    pipeline.add(std::move(published));
    pipeline.add(std::move(announced));
  }
  void tell(Finding& race) const {
    if (publications == nullptr) return;
    race.published = publications->of(race);
    if (race.published.empty()) race.announced = announcements->of(race);
  }
};

Confirmation confirm_seen(const Candidate& candidate, const Pipeline& pipeline,
                          const RaceReasons& reasons) {
  const Finding* seen = confirmed_in(pipeline, candidate.sought);
  if (seen == nullptr) return not_confirmed("the detector does not see it");
  Finding finding = *seen;
  reasons.tell(finding);
  finding.maybe_ordered_by = candidate.finding.maybe_ordered_by;
  return confirmed_as(std::move(finding), pipeline);
}

constexpr char kAnother[] = "the same choices gave another execution";

}  // namespace

Result<std::vector<std::uint32_t>> seen_in(Worker& worker,
                                           std::span<const SoughtFinding* const> sought,
                                           const Execution& execution, const RunOptions& options) {
  std::vector<std::uint32_t> seen;
  if (sought.empty()) return seen;
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(*sought.front(), execution);
  for (const SoughtFinding* one : sought.subspan(1)) add_confirming(*pipeline, *one, execution);
  const Result<Execution> again = replay_under(*pipeline, worker, execution, options);
  if (!again) return Error{again.error()};
  if (is_another(execution, *again)) return seen;
  for (std::size_t i = 0; i < sought.size(); ++i) {
    if (confirmed_in(*pipeline, *sought[i]) != nullptr)
      seen.push_back(static_cast<std::uint32_t>(i));
  }
  return seen;
}

Result<Confirmation> confirm_candidate(Worker& worker, const Candidate& candidate,
                                       const Execution& execution, const RunOptions& options) {
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(candidate.sought, execution);
  const RaceReasons reasons(*pipeline, candidate.sought);
  const Result<Execution> again = replay_under(*pipeline, worker, execution, options);
  if (!again) return Error{again.error()};
  if (is_another(execution, *again)) return not_confirmed(kAnother);
  const bool is_cycle = entry_of(candidate.sought.kind).confirmed_by == Confirms::kDeadlocks;
  return is_cycle ? confirm_cycle(candidate, *again, *pipeline)
                  : confirm_seen(candidate, *pipeline, reasons);
}

Result<ViolationsSeen> violations_in(Worker& worker, const Execution& execution,
                                     const RunOptions& options) {
  Pipeline pipeline(analysis_of(execution));
  std::unique_ptr<LockPattern> owned = lock_pattern_of(pipeline.state(), execution);
  const LockPattern& pattern = *owned;
  pipeline.add(std::move(owned));
  const Result<Execution> again = replay_under(pipeline, worker, execution, options);
  if (!again) return Error{again.error()};
  ViolationsSeen seen;
  if (is_another(execution, *again)) {
    seen.why_not = kAnother;
    return seen;
  }
  for (const Finding& finding : pipeline.findings())
    seen.violations.push_back(confirmed_as(finding, pipeline));
  if (seen.violations.empty()) seen.why_not = "the detector does not see it";
  seen.warned = pattern.warned();
  return seen;
}

Result<Confirmation> confirm_violation(Worker& worker, const Execution& execution,
                                       const RunOptions& options, const WantsFinding& wants,
                                       const std::set<std::uint64_t>& known) {
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(any_violation(), execution);
  const Result<Execution> again = replay_under(*pipeline, worker, execution, options);
  if (!again) return Error{again.error()};
  if (is_another(execution, *again)) return not_confirmed(kAnother);
  const Finding* found = nullptr;
  for (const Finding& finding : pipeline->findings()) {
    if (finding.kind != FindingKind::atomicity || (wants && !wants(finding, pipeline->state())))
      continue;
    if (found == nullptr || (known.count(found->place) != 0 && known.count(finding.place) == 0))
      found = &finding;
  }
  return found != nullptr ? confirmed_as(*found, *pipeline)
                          : not_confirmed("the detector does not see it");
}

}  // namespace raddle
