// Of ItemWork the item that goes through all schedules of a test.
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

bool ItemWork::explore() {
  Plan plan = base_;
  plan.atomic_blocks = 0;
  plan.max_steps = kExploredSteps;
  plan.livelock_steps = kExploredLivelock;
  ProcessExecutor process(worker_, plan, running(racing_));
  CleanExecutor clean(process, prepared_.scratch);
  Executor* const executors[] = {&clean};
  ExploreOptions options;
  options.search.order = SearchOrder::kDpor;
  options.keep_going = true;
  options.limit = item_.to;
  options.stop = options_.stop;
  ExploreEvents events;
  events.on_execution = [&](std::size_t, const Explored& explored, std::uint64_t number) {
    if (options_.alive) options_.alive();
    if (explored.outcome == OutcomeKind::kDiverged) {
      result_.problem = "the same choices do not lead to the same steps each time";
      return;
    }
    note(std::move(process.last()), number);
  };
  const Result<ExploreResult> done = raddle::explore(executors, options, events);
  if (stopped()) return false;
  if (!done) {
    result_.problem = done.error();
    return true;
  }
  result_.complete = done->complete && result_.problem.empty();
  finish();
  return !stopped();
}

}  // namespace raddle
