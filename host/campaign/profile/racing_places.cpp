#include "host/campaign/profile/racing_places.hpp"

#include "host/campaign/profile/later_races.hpp"
#include "host/campaign/profile/racing_sites.hpp"
#include "host/explore/explore.hpp"
#include "host/explore/process_executor.hpp"

namespace raddle {
namespace {

// Schedules that are gone through in order to learn what races in them.
constexpr std::uint64_t kSchedules = 100;

// Goes through the first schedules with the places that are known so far.
Result<LaterRaces::Found> look_for_more(Worker& worker, const Plan& plan, RunOptions running,
                                        Clock::time_point until, AimList& places) {
  running.aims = places;
  ProcessExecutor executor(worker, plan, running);
  ExploreOptions options;
  options.search.order = SearchOrder::kDpor;
  options.keep_going = true;
  options.limit = kSchedules;
  options.time = until - Clock::now();
  options.stop = running.stop;
  LaterRaces later;
  ExploreEvents events;
  events.on_execution = [&](std::size_t, const Explored& explored, std::uint64_t) {
    if (explored.redundant || explored.outcome == OutcomeKind::kDiverged) return;
    Execution& execution = executor.last();
    execution.log.assign(explored.log.begin(), explored.log.end());
    later.keep(execution);
  };
  Executor* const executors[] = {&executor};
  const Result<ExploreResult> result = explore(executors, options, events);
  if (!result) return Error{result.error()};
  running.aims = nullptr;
  return later.find(
      worker, [&] { return running; },
      [&] { return Clock::now() > until || (running.stop != nullptr && running.stop->load()); },
      places);
}

}  // namespace

Result<AimList> racing_places(Worker& worker, const Plan& plan, const RunOptions& running,
                              Clock::duration at_most) {
  const Clock::time_point until = Clock::now() + at_most;
  Result<AimList> places =
      find_racing_sites(worker, {.plan = plan, .timeout = running.timeout, .stop = running.stop});
  if (!places || !worker.instrumented()) return places;
  while (Clock::now() < until) {
    const Result<LaterRaces::Found> found = look_for_more(worker, plan, running, until, *places);
    if (!found) return Error{found.error()};
    if (*found != LaterRaces::Found::kPlaces) break;
  }
  return places;
}

}  // namespace raddle
