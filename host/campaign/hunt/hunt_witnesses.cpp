#include "host/campaign/hunt/hunt_witnesses.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/hunt/hunt_findings.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

// Seeds, until an execution passes.
constexpr std::uint64_t kMostRecordings = 6;
constexpr double kPredictShare = 0.2;  // of the budget, at most
constexpr double kLeastPredict = 5;    // seconds, or so much of a small budget:
constexpr double kMostPredictShare = 0.3;

// `until`: no question is asked after that. The result has no findings and a `divergence` if no
// execution passed.
Result<PredictResult> predict_for_hunt(const HuntOptions& options, const RunOptions& running,
                                       Clock::time_point until) {
  Worker& worker = *options.predicting;
  PredictResult none;
  none.divergence = "no execution that shows every access came to its end";
  // No execution takes longer than all of them may.
  const auto limit = [&] {
    const Clock::duration least = std::chrono::milliseconds(250);
    return std::min(running.timeout, std::max(least, until - Clock::now()));
  };
  Execution recorded;
  std::uint64_t recordings = 0;
  do {
    if (recordings == kMostRecordings || Clock::now() >= until) return none;
    Plan plan = by_values(options.plan);
    // Where every access is a decision point, a strategy with few switches is more likely to pass.
    set_strategy(plan, recordings % 2 == 0 ? "random" : "pct");
    plan.seed = options.first_seed + recordings++;
    RunOptions recording = running;
    recording.keep_log = true;
    recording.timeout = limit();
    Result<Execution> execution = worker.run(plan, {}, recording);
    if (!execution) return Error{execution.error()};
    recorded = std::move(*execution);
  } while (recorded.kind != OutcomeKind::kNone);
  PredictOptions predicting;
  predicting.rules.cycles_end = true;
  predicting.rules.effort = kQuickEffort;
  predicting.running = running;
  predicting.running.timeout = limit();
  predicting.joint = options.joint;
  predicting.wants = options.wants;
  predicting.plain = options.plan;
  predicting.threads = options.predicting_threads;
  predicting.time = until - Clock::now();
  Result<PredictResult> predicted = predict(worker, recorded, predicting);
  // The recording, and the same once more with what its steps found.
  if (predicted) predicted->recordings = recordings + 1;
  return predicted;
}

// The journal counts what was executed: of those that passed no more than their number and length
// is known here.
void write_down_witnesses(HuntState& state, const PredictResult& predicted,
                          std::uint64_t executions) {
  if (state.options.journal == nullptr) return;
  for (const Execution& failing : predicted.failing)
    state.options.journal->executed(failing, nullptr);
  Execution passed;
  passed.plan = state.options.plan;
  passed.plan.seed = state.options.first_seed;
  passed.steps = predicted.steps;
  for (std::uint64_t i = predicted.failing.size(); i < executions; ++i)
    state.options.journal->executed(passed, nullptr);
}

// A deadlock, mostly: the candidate of that cycle is what it shows.
void add_failing_witness(HuntState& state, Execution execution) {
  for (HuntFinding& one : state.result.candidates) {
    if (!one.candidate || entry_of(one.finding.kind).confirmed_by != Confirms::kDeadlocks ||
        one.level != FindingLevel::kCandidate)
      continue;
    const Result<Confirmation> seen = confirm_candidate(*state.options.predicting, *one.candidate,
                                                        execution, state.running(nullptr));
    if (!seen || !seen->confirmed) continue;
    ++one.tried;
    ++one.realised;
    raise_level(one, *seen, {}, without_report(execution),
                describe(execution, state.symbols).group);
  }
  state.add_failing(std::move(execution));
}

}  // namespace

void add_witness(std::vector<HuntFinding>& findings, PredictedFinding one) {
  const Finding& seen = one.confirmation.finding;
  const auto known = std::find_if(findings.begin(), findings.end(), [&](const HuntFinding& other) {
    return other.candidate && other.candidate->sought.kind == seen.kind &&
           (other.finding.place == seen.place || other.key == one.candidate.key);
  });
  HuntFinding& finding = known != findings.end() ? *known : met_finding(findings, seen);
  ++finding.tried;
  ++finding.realised;
  const Harm harm = one.confirmation.story.harm;
  raise_level(finding, one.confirmation, harm, std::move(one.witness), {});
}

bool try_witnesses(HuntState& state) {
  if (state.options.predicting == nullptr || state.result.threads <= 1 || state.stopped())
    return true;
  const double seconds = std::max(kPredictShare * state.budget(),
                                  std::min(kLeastPredict, kMostPredictShare * state.budget()));
  const auto share =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  Result<PredictResult> predicted =
      predict_for_hunt(state.options, state.running(nullptr), Clock::now() + share);
  if (!predicted) {
    state.error = predicted.error();
    return false;
  }
  state.result.predicted = {predicted->queries,
                            predicted->unknown,
                            predicted->witnesses,
                            predicted->unconfirmed,
                            predicted->findings.size() + predicted->failing.size(),
                            predicted->too_late,
                            predicted->problem,
                            predicted->divergence};
  const std::uint64_t executions = predicted->recordings + predicted->witnesses;
  state.result.executions += executions;
  state.result.steps += predicted->steps * executions;
  write_down_witnesses(state, *predicted, executions);
  for (Execution& execution : predicted->failing) add_failing_witness(state, std::move(execution));
  std::map<std::uint64_t, FindingLevel> before;
  for (const HuntFinding& one : state.result.candidates) before[one.key] = one.level;
  for (PredictedFinding& one : predicted->findings)
    add_witness(state.result.candidates, std::move(one));
  for (const HuntFinding& one : state.result.candidates) {
    const auto known = before.find(one.key);
    const bool rose = known == before.end() || known->second < one.level;
    if (rose && state.options.journal != nullptr) state.options.journal->found(one);
  }
  return true;
}

}  // namespace raddle
