#include "host/campaign/hunt/systematic_part.hpp"

#include <algorithm>
#include <utility>

#include "host/explore/process_executor.hpp"

namespace raddle {
namespace {

// A program with more than that in one execution has more schedules than anybody explores in a
// hunt: operations that could have been executed, of all steps.
constexpr std::size_t kMostPending = 200'000;
constexpr std::size_t kMostMemory = std::size_t{256} << 20;  // of the queue

template <class T>
void assign(std::vector<T>& to, std::span<const T> from) {
  to.assign(from.begin(), from.end());
}

}  // namespace

SystematicPart::SystematicPart(const Plan& plan, SearchOrder order)
    : plan_(plan), search_(SearchOptions{.order = order}) {
  plan_.atomic_blocks = 0;
  plan_.max_steps = plan.max_steps == 0 ? kExploredSteps
                                        : std::min<std::uint64_t>(plan.max_steps, kExploredSteps);
  plan_.livelock_steps = kExploredLivelock;
}

bool SystematicPart::next(Work& work) { return goes_on() && search_.next(work); }

Result<SystematicExecution> SystematicPart::execute(Worker& worker, const Plan& plan,
                                                    const RunOptions& running, const Work& work) {
  ProcessExecutor executor(worker, plan, running);
  const Explored* explored = executor.execute(work.request());
  if (explored == nullptr) return Error{std::string(executor.error())};
  SystematicExecution done;
  done.kept.explored = *explored;
  // Where the next execution does not overwrite it.
  assign(done.kept.log, explored->log);
  assign(done.kept.pending, explored->pending);
  assign(done.kept.first, explored->first);
  done.kept.point();
  done.execution = std::move(executor.last());
  return done;
}

void SystematicPart::done(const Work& work, const KeptExecution& kept, const Execution& execution) {
  // The program depends on something besides its threads, or is too large.
  if (kept.explored.outcome == OutcomeKind::kDiverged || kept.pending.size() > kMostPending) {
    given_up_ = true;
    return;
  }
  // Which of two waits is first depends on more than the order of steps that the search knows.
  if (execution.out_of_control.close_waits > 0) given_up_ = true;
  search_.done(work, kept.explored);
  if (search_.counts().unfinished > 0 || search_.queue_bytes() > kMostMemory) given_up_ = true;
  has_waits_ = has_waits_ || execution.out_of_control.goes_by_time() ||
               std::any_of(kept.log.begin(), kept.log.end(),
                           [](const StepRecord& record) { return record.op == OpKind::cond_wait; });
}

}  // namespace raddle
