#include "host/explore/process_executor.hpp"

#include <algorithm>
#include <atomic>

#include "host/process/outcome.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

// For what the target's memory says: it is not trusted to be in order.
constexpr std::uint32_t kNowhere[2] = {0, 0};

}  // namespace

ProcessExecutor::ProcessExecutor(Worker& worker, const Plan& plan, RunOptions options)
    : worker_(worker), plan_(plan), options_(std::move(options)) {
  set_strategy(plan_, kExploringStrategy);
  plan_.prefix_checked = true;
  plan_.enabled_log = true;
}

const Explored* ProcessExecutor::execute(const ExecutionRequest& request) {
  plan_.asleep = request.asleep;
  plan_.looks_on = request.looks_on;
  plan_.prefix_checked = !request.loose;
  ValueLog* values = value_log_of(worker_.shared());
  if (values != nullptr) values->wanted = values_ ? 1 : 0;
  plan_.by_values = values_;
  const bool nobody_between = worker_.runs() == runs_;
  Result<Execution> execution = worker_.run(plan_, request.prefix, options_);
  if (!execution) {
    error_ = execution.error();
    return nullptr;
  }
  last_ = std::move(*execution);
  // A replay of it follows its log to the end: none of this belongs to the execution itself.
  last_.plan.prefix_checked = last_.plan.enabled_log = false;
  last_.plan.asleep = 0;
  last_.plan.looks_on = false;
  explored_ = {};
  explored_.outcome = last_.kind;
  explored_.failing = is_failing(last_.kind);
  explored_.uncontrolled = last_.out_of_control.clones;
  if (last_.kind == OutcomeKind::kDiverged && last_.report != nullptr) {
    explored_.diverged_step = last_.report->diverged_step;
    explored_.recorded = last_.report->recorded;
    explored_.actual = last_.report->actual;
  }
  read_logs();
  note_common(nobody_between);
  return &explored_;
}

// What was not executed again is in the region as the execution before left it.
void ProcessExecutor::note_common(bool nobody_between) {
  static std::atomic<std::uint64_t> g_numbers;
  runs_ = worker_.runs();
  explored_.number = ++g_numbers;
  explored_.after = nobody_between ? number_ : 0;
  explored_.unchanged = static_cast<std::uint32_t>(last_.went_on_at);
  number_ = explored_.number;
}

// The spans lie in the shared region, which the next execution overwrites. An execution that was
// killed has no group at its end, and a program that wrote where it should not may have left
// anything: then there is no log to go by, and the execution counts as inconclusive.
void ProcessExecutor::read_logs() {
  SharedRegion& shared = worker_.shared();
  const EnabledLog& log = shared.enabled;
  const std::uint64_t steps = std::min<std::uint64_t>(last_.steps, shared.log_capacity);
  explored_.log = {shared.log(), steps};
  const std::uint32_t* first = shared.enabled_first();
  if (first[steps] != log.used) {  // not ended in an orderly way
    shared.enabled_first()[steps] = static_cast<std::uint32_t>(log.used);
    shared.enabled_first()[steps + 1] = static_cast<std::uint32_t>(log.used);
    shared.enabled.at_end = shared.enabled.enabled_at_end = 0;
  }
  const std::uint64_t used = log.used + log.at_end;
  bool sound = used <= log.capacity && first[steps + 1] == used &&
               log.enabled_at_end <= log.at_end && (steps == 0 || first[0] == 0);
  for (std::uint64_t i = last_.went_on_at; sound && i <= steps; ++i)
    sound = first[i] <= first[i + 1];
  if (!sound) {
    explored_.log = {};
    explored_.first = kNowhere;
    if (!explored_.failing) explored_.outcome = OutcomeKind::kInconclusive;
    return;
  }
  explored_.pending = {shared.enabled_operations(), used};
  explored_.first = {first, steps + 2};
  explored_.enabled_at_end = log.enabled_at_end;
  if (plan_.detail) {
    explored_.stack_of = {shared.enabled_stack_of(), used};
    explored_.stacks = {shared.enabled_stacks(), std::min(log.stacks, kMaxEnabledStacks)};
  }
  ValueLog* values = value_log_of(shared);
  if (values_ && values != nullptr) {
    explored_.values = {values->values(), steps};
    explored_.bytes = {values->bytes(), std::min(values->used, kValueBytes)};
    explored_.objects = {values->object_keys(), kMostObjectKeys};
    explored_.heap = values->heap;
  }
  explored_.redundant = log.redundant != 0 && last_.kind == OutcomeKind::kNone;
}

}  // namespace raddle
