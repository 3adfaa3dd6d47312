#include "host/campaign/hunt/hunt_witnesses.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/hunt/hunt_findings.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

// Seeds, until an execution passes.
constexpr std::uint64_t kMostRecordings = 6;

}  // namespace

Result<PredictResult> predict_for_hunt(const HuntOptions& options, const RunOptions& running,
                                       Clock::time_point until) {
  Worker& worker = *options.predicting;
  PredictResult none;
  none.divergence = "no execution that shows every access came to its end";
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
    Result<Execution> execution = worker.run(plan, {}, recording);
    if (!execution) return Error{execution.error()};
    recorded = std::move(*execution);
  } while (recorded.kind != OutcomeKind::kNone);
  PredictOptions predicting;
  predicting.rules.cycles_end = true;
  predicting.rules.effort = kQuickEffort;
  predicting.running = running;
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

}  // namespace raddle
