#include "host/campaign/predict/predict.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "host/analysis/race/race.hpp"
#include "host/campaign/harm/harm_looks.hpp"
#include "host/campaign/predict/order_candidates.hpp"
#include "host/explore/causal/prediction.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/symbols/images/unseen_code.hpp"

namespace raddle {
namespace {

// A program with more different deadlocks has one that matters among the first.
constexpr std::size_t kMostDeadlocks = 8;
// Violations about one object that did no harm, after which others are not looked for.
constexpr int kMostLikeIt = 12;
// Questions that are asked at a time.
constexpr std::size_t kGroup = 32;

class Predictor {
 public:
  Predictor(Worker& worker, const Execution& recorded, const PredictOptions& options)
      : worker_(worker),
        recorded_(recorded),
        options_(options),
        executor_(worker, recorded.plan, options.running),
        prediction_(options.rules, Prediction::kWindow, options.threads) {
    executor_.show_values();
    queries_left_ = options.most_queries;
  }

  Result<PredictResult> run() {
    if (!learn()) return done();
    if (options_.deadlocks) look_for_deadlocks();
    if (options_.races) look_for_races();
    if (options_.atomic_sets || options_.sections) look_for_orders();
    return done();
  }

 private:
  bool stopping() const {
    return options_.running.stop != nullptr && options_.running.stop->load();
  }

  bool out_of_time() const {
    return options_.time != Clock::duration{} && Clock::now() - begin_ >= options_.time;
  }

  // Nobody wants more, or nobody can.
  bool is_over() const { return stopping() || !error_.empty(); }

  void look_for_deadlocks() {
    std::size_t found = 0;
    while (found < kMostDeadlocks && !is_over() && !prediction_.asked_for_all_deadlocks()) {
      const bool late = out_of_time();
      if (late || prediction_.effort() >= options_.most_effort / 2) {
        (late ? result_.too_late : result_.not_asked) +=
            prediction_.windows() - prediction_.settled_windows();
        return;
      }
      for (const CausalWork& work : prediction_.deadlocks()) {
        if (++found <= kMostDeadlocks && !is_over()) look_for_deadlock(work);
      }
    }
  }

  void look_for_races() {
    const std::vector<RacingPlaces> all = prediction_.pairs();
    std::vector<bool> seen(all.size(), false);
    // Of places where one pair cannot meet, the next one is asked for.
    const auto query = [&](std::size_t place, std::size_t round) {
      std::optional<PredictionQuery> asked;
      if (seen[place] || round >= all[place].size()) return asked;
      const RacingPair& pair = all[place][round];
      asked = {PredictionQuery::kNextToEachOther, {pair.step[0], pair.step[1]}};
      return asked;
    };
    ask_in_rounds(all.size(), query, [&](std::size_t place, const CausalWork& work) {
      seen[place] = look_for_race(work);
    });
  }

  // Asks for each of so many things again and again, until `query` has no more of it. Questions are
  // asked in groups of a fixed size, so that what is asked does not depend on the number of
  // threads.
  void ask_in_rounds(
      std::size_t things,
      const std::function<std::optional<PredictionQuery>(std::size_t, std::size_t)>& query,
      const std::function<void(std::size_t, const CausalWork&)>& found) {
    for (std::size_t round = 0, open = 1; open > 0; ++round) {
      open = 0;
      for (std::size_t next = 0; next < things && !is_over();) {
        std::vector<PredictionQuery> queries;
        std::vector<std::size_t> of;
        for (; next < things && queries.size() < kGroup; ++next) {
          std::optional<PredictionQuery> asked = query(next, round);
          if (!asked) continue;
          ++open;
          queries.push_back(std::move(*asked));
          of.push_back(next);
        }
        const bool late = out_of_time();
        if (late || queries_left_ < queries.size() ||
            prediction_.effort() >= options_.most_effort) {
          (late ? result_.too_late : result_.not_asked) += queries.size();
          continue;
        }
        queries_left_ -= queries.size();
        const std::vector<std::optional<CausalWork>> works = prediction_.ask(queries);
        for (std::size_t i = 0; i < works.size() && !is_over(); ++i) {
          // What was found since may have settled it.
          if (works[i] && query(of[i], round)) found(of[i], *works[i]);
        }
      }
    }
  }

  // What could violate atomicity, proved where that can be; else an execution says whether the
  // program goes on as it did although the accesses see something else.
  void look_for_orders() {
    if (is_over()) return;
    const Result<std::vector<OrderCandidate>> all =
        order_candidates(worker_, recorded_, options_.running,
                         {options_.joint, options_.atomic_sets, options_.sections, options_.wants});
    if (!all) {
      error_ = all.error();
      return;
    }
    std::vector<bool> seen(all->size(), false);
    for (const auto kind : {PredictionQuery::kProvedOrder, PredictionQuery::kTriedOrder}) {
      const auto query = [&](std::size_t i, std::size_t round) {
        std::optional<PredictionQuery> asked;
        const OrderCandidate& one = (*all)[i];
        if (!seen[i] && round < one.orders.size() && !is_settled(one.candidate))
          asked = {kind, one.orders[round]};
        return asked;
      };
      ask_in_rounds(all->size(), query, [&](std::size_t i, const CausalWork& work) {
        seen[i] = look_for_order((*all)[i].candidate, work, kind == PredictionQuery::kProvedOrder);
      });
    }
  }

  // True: it was seen.
  bool look_for_order(const Candidate& candidate, const CausalWork& work, bool proved) {
    const Explored* explored = execute(work.request());
    if (explored == nullptr) return false;
    ++result_.witnesses;
    if (!proved) ++result_.tried;
    const bool followed = !proved || follows(work, explored->log);
    Execution witness = take_last();
    witness.plan.atomic_blocks = predicted_blocks();
    const bool seen = witness.kind != OutcomeKind::kDiverged && report(candidate, witness, proved);
    if (!seen && proved) ++result_.unconfirmed;
    if (!followed) keep_stray(witness);
    if (is_failing(witness.kind)) result_.failing.push_back(std::move(witness));
    return seen;
  }

  // The program makes the choices of a schedule that the model calls feasible.
  bool follows(const CausalWork& work, std::span<const StepRecord> log) {
    const std::optional<CausalProblem> strayed = where_it_strayed(work.prefix, log);
    if (strayed && result_.strayed.kind == CausalProblem::kNone) result_.strayed = *strayed;
    return !strayed;
  }

  void keep_stray(const Execution& execution) {
    if (!result_.stray) result_.stray = without_report(execution);
  }

  Result<PredictResult> done() {
    if (!error_.empty()) return Error{error_};
    result_.queries = prediction_.queries();
    result_.unknown = prediction_.unknown();
    result_.pruned = prediction_.pruned();
    result_.effort = prediction_.effort();
    result_.too_far_apart = prediction_.too_far_apart();
    result_.windows = prediction_.windows();
    return std::move(result_);
  }

  const Explored* execute(const ExecutionRequest& request) {
    const Explored* explored = executor_.execute(request);
    if (explored == nullptr) error_ = std::string(executor_.error());
    return explored;
  }

  // The recorded execution once more, now with what its steps found.
  bool learn() {
    const Explored* explored = execute({.prefix = recorded_.log});
    if (explored == nullptr) return false;
    // Then it need not do again what it did.
    if (explored->uncontrolled == 0 && (explored->outcome == OutcomeKind::kDiverged ||
                                        explored->log.size() < recorded_.log.size())) {
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
    const bool shown = explored->outcome == OutcomeKind::kDeadlock;
    const bool failing = explored->failing;
    const bool followed = shown || follows(work, explored->log);
    if (!shown) ++result_.unconfirmed;
    if (!failing && followed) return;
    Execution witness = take_last();
    if (!followed) keep_stray(witness);
    if (failing) result_.failing.push_back(std::move(witness));
  }

  // True: the race was seen.
  bool look_for_race(const CausalWork& work) {
    const Explored* explored = execute(work.request());
    if (explored == nullptr) return false;
    ++result_.witnesses;
    const bool followed = follows(work, explored->log);
    Execution witness = take_last();
    if (!followed) keep_stray(witness);
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
    if (!header_) {
      header_.emplace();
      header_->unseen = synchronise_unseen(unseen_code(worker_.maps()));
    }
    pipeline.begin(*header_);
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
    if (is_harmless_section(one) && !options_.strict) {
      ++result_.harmless;
    } else if (!options_.keeps || options_.keeps(one)) {
      keep(std::move(one));
    }
    return true;
  }

  // A function that takes a lock twice is nothing strange, if nobody said that it is atomic.
  static bool is_harmless_section(const PredictedFinding& one) {
    return one.level == FindingLevel::kSeen &&
           one.confirmation.finding.kind == FindingKind::atomicity;
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
  HarmLooks harm_looks_{std::nullopt};
  std::set<std::uint64_t> known_;  // places of races
  std::uint64_t queries_left_ = 0;
  std::optional<TraceHeader> header_;  // of the witnesses' events
  std::string error_;
};

}  // namespace

Plan by_values(Plan plan) {
  plan.by_values = true;
  plan.decide = DecideKind::kEvery;
  return plan;
}

Result<PredictResult> predict(Worker& worker, const Execution& recorded,
                              const PredictOptions& options) {
  return Predictor(worker, recorded, options).run();
}

}  // namespace raddle
