#include "host/campaign/hunt/hunt.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/hunt/hunt_findings.hpp"
#include "host/campaign/hunt/hunt_minimize.hpp"
#include "host/campaign/hunt/hunt_profile.hpp"
#include "host/campaign/hunt/hunt_search.hpp"
#include "host/campaign/hunt/hunt_state.hpp"
#include "host/campaign/hunt/hunt_witnesses.hpp"
#include "host/describe/explain/lifetimes/lifetime.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostExplained = 8;  // confirmed findings
constexpr double kLeastMinimize = 1.5;     // seconds for all, also when the budget is used up

void note_minimizing(HuntState& state, std::size_t of) {
  HuntCounts& counts = state.result.minimize;
  counts.phase = HuntPhase::kMinimize;
  counts.failing = state.result.failures.size();
  counts.seconds = state.phase_seconds();
  counts.share = double(state.result.failures.size()) / double(of);
  state.watcher(counts);
}

bool minimize_all(HuntState& state) {
  std::vector<FailureGroup> groups = state.groups.take();
  const double end = std::max(state.budget(), state.elapsed() + kLeastMinimize);
  std::size_t left = groups.size();
  for (FailureGroup& group : groups) {
    HuntFailure failure;
    failure.known =
        std::find(state.options.known_failures.begin(), state.options.known_failures.end(),
                  group.failure.group) != state.options.known_failures.end();
    failure.group = std::move(group);
    const double share = std::max(kLeastTime, (end - state.elapsed()) / double(left--));
    const Result<std::uint64_t> executions = minimize_failure(
        *state.workers.front(), state.options, state.symbols, share, state.at(end), failure);
    if (!executions) {
      state.error = executions.error();
      return false;
    }
    state.result.minimize.executions += *executions;
    state.result.failures.push_back(std::move(failure));
    note_minimizing(state, groups.size());
  }
  state.result.minimize.share = 1;
  return true;
}

// Of a finding that is looked at once more after all failures: a moment for all of them together,
// if the budget is used up.
RunOptions look_after(const HuntState& state, Clock::time_point until) {
  RunOptions running = last_look(state.time_limit(), state.options.stop);
  running.until = until;
  return running;
}

// What the execution tells of a use after free; the first ones, since many are alike.
void explain_confirmed(HuntState& state, Clock::time_point until) {
  std::size_t explained = 0;
  for (HuntFinding& one : state.result.candidates) {
    const bool wanted = one.finding.kind == FindingKind::use_after_free &&
                        one.level >= FindingLevel::kHarmful &&
                        one.execution.kind == OutcomeKind::kNone;
    if (!wanted || state.stopped() || ++explained > kMostExplained) continue;
    KeptTrace trace;
    RunOptions running = look_after(state, until);
    running.events = &trace;
    const Result<Execution> again =
        replay_strictly(*state.workers.front(), one.execution, running, ReplayDetail::kFull);
    if (!again || again->log_hash != one.execution.log_hash) continue;
    const Failure failure = describe(*again, state.symbols);
    explain_lifetime(one.story, trace, failure, state.symbols);
  }
}

void finish(HuntState& state) {
  state.result.interrupted = state.stopped();
  state.result.next_seed = state.seed;
  std::stable_sort(state.result.candidates.begin(), state.result.candidates.end(), comes_first);
  std::stable_sort(state.result.failures.begin(), state.result.failures.end(), is_simpler);
  // What hardly ever happens comes last.
  std::stable_partition(state.result.failures.begin(), state.result.failures.end(),
                        [](const HuntFailure& failure) { return !is_rare(failure); });
}

}  // namespace

Result<HuntResult> hunt(const Workers& workers, const HuntOptions& options, Symbolizer& symbols,
                        const HuntWatcher& watcher) {
  HuntState state(workers, options, symbols, watcher);
  state.result.instrumented = workers.front()->instrumented();
  state.result.unseen = unseen_code(workers.front()->maps());
  std::vector<AimList> aims;  // of the first candidates
  if (!profile(state, aims)) return Error{*state.error};
  if (!try_witnesses(state)) return Error{*state.error};
  if (!search(state, aims)) return Error{*state.error};
  if (!minimize_all(state)) return Error{*state.error};
  const Clock::time_point until = state.at(std::max(state.budget(), state.elapsed() + kLeastTime));
  for (FoundMisuse& misuse : state.result.misuses)
    explain(misuse, *workers.front(), look_after(state, until), symbols);
  explain_confirmed(state, until);
  finish(state);
  state.result.out_of_control = out_of_control_by(workers);
  return std::move(state.result);
}

}  // namespace raddle
