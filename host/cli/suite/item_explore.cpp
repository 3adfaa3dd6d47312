// Of ItemWork the item that goes through all schedules of a test.
#include "host/campaign/profile/later_races.hpp"
#include "host/cli/suite/item_work.hpp"
#include "host/explore/explore.hpp"
#include "host/explore/process_executor.hpp"

namespace raddle {
namespace {

// Every execution finds the folder for temporary files empty.
class CleanExecutor final : public Executor {
 public:
  CleanExecutor(ProcessExecutor& inner, const std::string& scratch)
      : inner_(inner), scratch_(scratch) {}

  const Explored* execute(const ExecutionRequest& request) override {
    empty_folder(scratch_);
    return inner_.execute(request);
  }
  std::string_view error() const override { return inner_.error(); }

 private:
  ProcessExecutor& inner_;
  const std::string& scratch_;
};

}  // namespace

// Begins again if what was executed races at places that were no decision points.
bool ItemWork::explore() {
  Plan plan = base_;
  plan.atomic_blocks = 0;
  plan.max_steps = kExploredSteps;
  plan.livelock_steps = kExploredLivelock;
  AimList places = racing_;
  std::uint64_t executed = 0;
  bool again = true;
  while (again) {
    again = false;
    ProcessExecutor process(worker_, plan, running(places));
    CleanExecutor clean(process, prepared_.scratch);
    Executor* const executors[] = {&clean};
    ExploreOptions options;
    options.search.order = SearchOrder::kDpor;
    options.keep_going = true;
    options.limit = item_.to - executed;
    options.stop = options_.stop;
    LaterRaces later;
    ExploreEvents events;
    events.on_execution = [&](std::size_t, const Explored& explored, std::uint64_t) {
      if (options_.alive) options_.alive();
      if (explored.outcome == OutcomeKind::kDiverged) {
        result_.problem = "the same choices do not lead to the same steps each time";
        return;
      }
      Execution& execution = process.last();
      if (!explored.redundant) {
        execution.log.assign(explored.log.begin(), explored.log.end());
        later.keep(execution);
      }
      note(std::move(execution), ++executed);
    };
    const Result<ExploreResult> done = raddle::explore(executors, options, events);
    if (stopped()) return false;
    if (!done) {
      result_.problem = done.error();
      return true;
    }
    if (!done->complete || !result_.problem.empty()) break;
    const auto execution_options = [&] {
      empty_folder(prepared_.scratch);
      return running(nullptr);
    };
    const Result<LaterRaces::Found> found =
        later.find(worker_, execution_options, [this] { return stopped(); }, places);
    if (!found) {
      result_.problem = found.error();
      return true;
    }
    result_.complete = *found == LaterRaces::Found::kNothing;
    again = *found == LaterRaces::Found::kPlaces && executed < item_.to;
  }
  finish();
  return !stopped();
}

}  // namespace raddle
