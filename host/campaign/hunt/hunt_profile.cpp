#include "host/campaign/hunt/hunt_profile.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/hunt/hunt_findings.hpp"
#include "host/campaign/profile/profile.hpp"
#include "host/process/outcome.hpp"

namespace raddle {
namespace {

// Of races that profiling saw happen, so many are shown with the execution that shows them.
constexpr std::size_t kMostSeenRaces = 50;

// A race that the detector saw happen is certain, whatever else becomes of it. An execution that
// fails is known by its failure, and tells less of the race.
void see_race(HuntState& state, Worker& worker, HuntFinding& one, const Execution& execution) {
  if (state.stopped() || is_failing(execution.kind)) return;
  const Result<Confirmation> seen =
      confirm_candidate(worker, *one.candidate, execution, state.running(nullptr));
  if (seen && seen->confirmed) raise_level(one, *seen, {}, without_report(execution), {});
}

}  // namespace

bool profile(HuntState& state, std::vector<AimList>& aims) {
  Worker& worker = *state.workers.front();
  Candidates candidates(worker.maps(),
                        {.joint = state.options.joint, .wants = state.options.wants});
  ProfileOptions profiling{.plan = state.options.plan,
                           .first_seed = state.options.first_seed,
                           .extent = extent_for_candidates(),
                           .stop = state.options.stop};
  profiling.until = state.at(kProfileShare * state.budget());
  profiling.before = [&](Plan& plan, RunOptions& options) {
    options.timeout = state.time_limit();
    options.keep_log = true;
    state.seed = plan.seed + 1;
  };
  std::vector<Execution> shown_by;  // of each candidate, if it is a race that happened
  profiling.after = [&](Execution execution) {
    // What the user cut off, perhaps before its threads were there, says nothing of the program.
    if (state.stopped() && execution.ended_by_host) return;
    state.count(execution);
    state.feedback.learn(execution.log);
    for (std::size_t i = shown_by.size(); i < candidates.list().size(); ++i) {
      const FindingKind kind = candidates.list()[i].sought.kind;
      const bool happened = entry_of(kind).confirmed_by == Confirms::kRaces;
      shown_by.push_back(happened && i < kMostSeenRaces ? without_report(execution) : Execution{});
    }
    if (is_failing(execution.kind)) state.add_failing(std::move(execution));
    const std::uint64_t done = state.result.executions;
    state.note_progress(state.result.profile, HuntPhase::kProfile, done, candidates.list().size(),
                        std::min(0.999, double(done) / profiling.extent.at_least));
  };
  const Result<unsigned> done = raddle::profile(worker, profiling, candidates);
  if (!done) {
    state.error = done.error();
    return false;
  }
  state.racing = candidates.aims();
  state.uses = candidates.uses();
  for (std::size_t i = 0; i < candidates.list().size(); ++i) {
    state.result.candidates.push_back(predicted_finding(candidates.list()[i], state.options.known));
    if (!shown_by[i].log.empty())
      see_race(state, worker, state.result.candidates.back(), shown_by[i]);
    if (state.options.journal != nullptr)
      state.options.journal->found(state.result.candidates.back());
  }
  std::stable_sort(state.result.candidates.begin(), state.result.candidates.end(), comes_first);
  for (const HuntFinding& one : state.result.candidates) {
    aims.push_back(aims_for(*one.candidate, state.racing));
  }
  state.note_progress(state.result.profile, HuntPhase::kProfile, state.result.executions,
                      state.result.candidates.size(), 1);
  return true;
}

}  // namespace raddle
