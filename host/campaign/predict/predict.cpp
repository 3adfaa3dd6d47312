#include "host/campaign/predict/predict.hpp"

#include <algorithm>
#include <set>

#include "host/analysis/race/race.hpp"
#include "host/explore/causal/prediction.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// A program with more different deadlocks has one that matters among the first.
constexpr int kMostDeadlocks = 8;

class Predictor {
 public:
  Predictor(Worker& worker, const Execution& recorded, const PredictOptions& options)
      : worker_(worker),
        recorded_(recorded),
        options_(options),
        executor_(worker, recorded.plan, options.running),
        prediction_(options.rules) {
    executor_.show_values();
  }

  Result<PredictResult> run() {
    if (!learn()) return done();
    for (int i = 0; i < kMostDeadlocks && error_.empty(); ++i) {
      const std::optional<CausalWork> work = prediction_.deadlock();
      if (!work) break;
      look_for_deadlock(*work);
    }
    for (const RacingPlaces& places : prediction_.pairs()) {
      for (const RacingPair& pair : places) {
        if (stopping() || !error_.empty()) return done();
        const std::optional<CausalWork> work = prediction_.witness(pair);
        if (work && look_for_race(*work)) break;
      }
    }
    return done();
  }

 private:
  bool stopping() const {
    return options_.running.stop != nullptr && options_.running.stop->load();
  }

  Result<PredictResult> done() {
    if (!error_.empty()) return Error{error_};
    result_.queries = prediction_.queries();
    result_.unknown = prediction_.unknown();
    return std::move(result_);
  }

  const Explored* execute(const ExecutionRequest& request) {
    const Explored* explored = executor_.execute(request);
    if (explored == nullptr) error_ = std::string(executor_.error());
    return explored;
  }

  // The recorded execution once more, now with what its steps found.
  bool learn() {
    const Explored* explored = execute({recorded_.log, 0, false});
    if (explored == nullptr) return false;
    if (explored->outcome == OutcomeKind::kDiverged ||
        explored->log.size() < recorded_.log.size()) {
      result_.divergence = "the program does not do what it did when this was recorded";
      return false;
    }
    result_.steps = explored->log.size();
    result_.problem = prediction_.learn(*explored);
    return result_.problem.kind == CausalProblem::kNone;
  }

  Execution take_last() {
    Execution execution = std::move(executor_.last());
    SharedRegion& shared = worker_.shared();
    if (execution.log.empty())
      execution.log.assign(shared.log(), shared.log() + std::min<std::uint64_t>(
                                                            execution.steps, shared.log_capacity));
    return execution;
  }

  void look_for_deadlock(const CausalWork& work) {
    const Explored* explored = execute(work.request());
    if (explored == nullptr) return;
    ++result_.witnesses;
    if (explored->outcome != OutcomeKind::kDeadlock) ++result_.unconfirmed;
    if (explored->failing) result_.failing.push_back(take_last());
  }

  // True: the race was seen.
  bool look_for_race(const CausalWork& work) {
    const Explored* explored = execute(work.request());
    if (explored == nullptr) return false;
    ++result_.witnesses;
    Execution witness = take_last();
    const bool seen = confirm(witness);
    if (!seen) ++result_.unconfirmed;
    if (is_failing(witness.kind)) result_.failing.push_back(std::move(witness));
    return seen;
  }

  // What the race detector says of the witness.
  bool confirm(Execution& witness) {
    const AnalysisOptions options = analysis_of(witness);
    Pipeline pipeline(options);
    pipeline.add(make_race_detector(pipeline.state(), options));
    pipeline.begin({});
    RunOptions running = options_.running;
    running.events = &pipeline;
    const Result<Execution> again =
        replay_strictly(worker_, witness, running, ReplayDetail::kOutcome);
    if (!again) {
      error_ = again.error();
      return false;
    }
    pipeline.end({});
    bool seen = false;
    for (const Finding& finding : pipeline.findings()) {
      if (finding.kind != FindingKind::race) continue;
      seen = true;
      if (known_.insert(finding.place).second) report(finding, pipeline.state(), witness);
    }
    return seen;
  }

  void report(const Finding& finding, const ExecutionState& state, const Execution& witness) {
    Candidate candidate;
    candidate.finding = finding;
    candidate.key = finding.place;
    candidate.sought.kind = finding.kind;
    candidate.sought.place = finding.place;
    for (const FindingStep& step : finding.steps)
      candidate.sought.places.push_back(state.stable(step.event.site));
    Result<Confirmation> confirmation =
        confirm_candidate(worker_, candidate, witness, options_.running);
    if (!confirmation) {
      error_ = confirmation.error();
      return;
    }
    if (!confirmation->confirmed) return;
    PredictedRace race{std::move(candidate), std::move(*confirmation), {}};
    race.witness.plan = witness.plan;
    race.witness.kind = witness.kind;
    race.witness.log = witness.log;
    race.witness.log_hash = witness.log_hash;
    race.witness.streams = witness.streams;
    race.witness.image = witness.image;
    race.witness.aims = witness.aims;
    result_.races.push_back(std::move(race));
  }

  Worker& worker_;
  const Execution& recorded_;
  const PredictOptions& options_;
  ProcessExecutor executor_;
  Prediction prediction_;
  PredictResult result_;
  std::set<std::uint64_t> known_;  // places of races
  std::string error_;
};

}  // namespace

Result<PredictResult> predict(Worker& worker, const Execution& recorded,
                              const PredictOptions& options) {
  return Predictor(worker, recorded, options).run();
}

}  // namespace raddle
