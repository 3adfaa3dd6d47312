#include "host/campaign/predict/predict.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "host/analysis/race/race.hpp"
#include "host/campaign/harm/harm_looks.hpp"
#include "host/campaign/predict/order_candidates.hpp"
#include "host/explore/causal/prediction.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// A program with more different deadlocks has one that matters among the first.
constexpr int kMostDeadlocks = 8;
// Violations about one object that did no harm, after which others are not looked for.
constexpr int kMostLikeIt = 12;

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
    if (!options_.atomicity_only) look_for_races_and_deadlocks();
    look_for_orders();
    return done();
  }

 private:
  bool stopping() const {
    return options_.running.stop != nullptr && options_.running.stop->load();
  }

  bool out_of_time() const {
    return options_.budget != Clock::duration{} && Clock::now() - begin_ >= options_.budget;
  }

  void look_for_races_and_deadlocks() {
    for (int i = 0; i < kMostDeadlocks && error_.empty(); ++i) {
      const std::optional<CausalWork> work = prediction_.deadlock();
      if (!work) break;
      look_for_deadlock(*work);
    }
    for (const RacingPlaces& places : prediction_.pairs()) {
      for (const RacingPair& pair : places) {
        if (stopping() || !error_.empty()) return;
        if (out_of_time()) {
          ++result_.not_asked;
          break;
        }
        const std::optional<CausalWork> work = prediction_.witness(pair);
        if (work && look_for_race(*work)) break;
      }
    }
  }

  // What could violate atomicity, proved where that can be; else an execution says whether the
  // program goes on as it did although the accesses see something else.
  void look_for_orders() {
    if (stopping() || !error_.empty()) return;
    const Result<std::vector<OrderCandidate>> all =
        order_candidates(worker_, recorded_, options_.running, {options_.joint, options_.wants});
    if (!all) {
      error_ = all.error();
      return;
    }
    for (const OrderCandidate& one : *all) {
      if (stopping() || !error_.empty()) return;
      if (out_of_time()) {
        ++result_.not_asked;
        continue;
      }
      if (is_settled(one.candidate)) continue;
      if (!look_for_order(one, causal::Trust::kProved) && error_.empty())
        look_for_order(one, causal::Trust::kTried);
    }
  }

  // True: it was seen.
  bool look_for_order(const OrderCandidate& one, causal::Trust trust) {
    for (const std::vector<std::uint64_t>& order : one.orders) {
      const std::optional<CausalWork> work = prediction_.ordered(order, trust);
      if (!work) continue;
      const Explored* explored = execute(work->request());
      if (explored == nullptr) return false;
      ++result_.witnesses;
      const bool proved = trust == causal::Trust::kProved;
      if (!proved) ++result_.tried;
      Execution witness = take_last();
      witness.plan.atomic_blocks = predicted_blocks();
      const bool seen =
          witness.kind != OutcomeKind::kDiverged && report(one.candidate, witness, proved);
      if (!seen && proved) ++result_.unconfirmed;
      if (is_failing(witness.kind)) result_.failing.push_back(std::move(witness));
      if (seen || !error_.empty()) return seen;
    }
    return false;
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
      const bool wanted = !options_.wants || options_.wants(finding, pipeline.state());
      if (wanted && known_.insert(finding.place).second) report(finding, pipeline.state(), witness);
    }
    return seen;
  }

  void report(const Finding& finding, const ExecutionState& state, const Execution& witness) {
    Candidate candidate;
    candidate.finding = finding;
    candidate.key = finding.place;
    candidate.sought = sought_of(state, finding);
    report(candidate, witness, true);
  }

  // True: the detector sees it. What fails is known by its failure.
  bool report(const Candidate& candidate, const Execution& witness, bool proved) {
    Result<Confirmation> confirmation =
        confirm_candidate(worker_, candidate, witness, options_.running);
    if (!confirmation) {
      error_ = confirmation.error();
      return false;
    }
    if (!confirmation->confirmed) return false;
    if (is_failing(witness.kind)) return true;
    PredictedFinding one;
    one.candidate = candidate;
    one.confirmation = std::move(*confirmation);
    one.witness = without_report(witness);
    one.proved = proved;
    if (rests_on_inference(one.confirmation.finding)) look_for_harm(one);
    one.confirmation.finding.level = one.level;
    one.confirmation.story.level = one.level;
    Tries& tries = tries_[candidate.finding.object];
    tries.level = std::max(tries.level, one.level);
    ++tries.witnesses;
    keep(std::move(one));
    return true;
  }

  PredictedFinding* about(const Finding& finding) {
    const auto it = std::find_if(
        result_.findings.begin(), result_.findings.end(), [&](const PredictedFinding& other) {
          const Finding& known = other.confirmation.finding;
          return known.kind == finding.kind && known.object == finding.object;
        });
    return it != result_.findings.end() ? &*it : nullptr;
  }

  // What goes wrong with one object goes wrong in many places: the one of which most is known
  // stands for all. Races are wrong each by itself.
  void keep(PredictedFinding one) {
    PredictedFinding* known =
        rests_on_units(one.confirmation.finding) ? about(one.confirmation.finding) : nullptr;
    if (known == nullptr) {
      result_.findings.push_back(std::move(one));
    } else {
      one.like = known->like + 1;
      if (one.level > known->level) {
        *known = std::move(one);
      } else {
        known->like = one.like;
      }
    }
  }

  static bool rests_on_units(const Finding& finding) {
    return entry_of(finding.kind).rests_on == RestsOn::kUnits;
  }

  // So much is known of what the candidate is about that another one adds nothing.
  bool is_settled(const Candidate& candidate) {
    const auto tried = tries_.find(candidate.finding.object);
    if (tried == tries_.end()) return false;
    return tried->second.level >= FindingLevel::kHarmful || tried->second.witnesses >= kMostLikeIt;
  }

  void look_for_harm(PredictedFinding& one) {
    HarmChecked checked = harm_looks_.look(worker_, one.confirmation.finding, one.witness,
                                           options_.running, options_.plain, nullptr);
    one.level = checked.harm.found ? FindingLevel::kHarmful : FindingLevel::kSeen;
    one.confirmation.story.harm = checked.harm;
    for (Execution& failing : checked.failing) result_.failing.push_back(std::move(failing));
  }

  Worker& worker_;
  const Execution& recorded_;
  const PredictOptions& options_;
  ProcessExecutor executor_;
  Prediction prediction_;
  PredictResult result_;
  struct Tries {
    FindingLevel level = FindingLevel::kCandidate;
    int witnesses = 0;
  };
  std::map<std::string, Tries> tries_;  // of orders, by what the candidates are about
  const Clock::time_point begin_ = Clock::now();
  HarmLooks harm_looks_{begin_};
  std::set<std::uint64_t> known_;  // places of races
  std::string error_;
};

}  // namespace

Result<PredictResult> predict(Worker& worker, const Execution& recorded,
                              const PredictOptions& options) {
  return Predictor(worker, recorded, options).run();
}

}  // namespace raddle
