#include "host/check/executor.hpp"

#include "host/process/outcome.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

InProcessExecutor::InProcessExecutor(InProcessRunner& runner, const Plan& plan)
    : runner_(runner), plan_(plan) {
  set_strategy(plan_, kExploringStrategy);
  plan_.prefix_checked = true;
  plan_.enabled_log = true;
}

const Explored* InProcessExecutor::execute(const ExecutionRequest& request) {
  plan_.asleep = request.asleep;
  plan_.looks_on = request.looks_on;
  plan_.prefix_checked = !request.loose;
  ValueLog* values = value_log_of(runner_.region().shared());
  if (values != nullptr) values->wanted = values_ ? 1 : 0;
  plan_.by_values = values_;
  const OutcomeKind outcome = runner_.run(plan_, request.prefix);
  SharedRegion& shared = runner_.region().shared();
  const EnabledLog& log = shared.enabled;
  explored_ = {};
  explored_.outcome = outcome;
  explored_.failing = is_failing(outcome);
  explored_.group = outcome_text(outcome);
  explored_.uncontrolled = shared.uncontrolled.clones.load(std::memory_order_relaxed);
  // A redundant execution goes on behind its log.
  explored_.log = log.redundant != 0 ? runner_.log().first(log.redundant - 1) : runner_.log();
  explored_.pending = {shared.enabled_operations(), log.used + log.at_end};
  explored_.first = {shared.enabled_first(), explored_.log.size() + 2};
  explored_.enabled_at_end = log.enabled_at_end;
  if (values_ && values != nullptr) {
    explored_.values = {values->values(), explored_.log.size()};
    explored_.bytes = {values->bytes(), values->used};
    explored_.objects = {values->object_keys(), kMostObjectKeys};
    explored_.heap = values->heap;
  }
  explored_.redundant = log.redundant != 0 && outcome == OutcomeKind::kNone;
  explored_.diverged_step = shared.report.diverged_step;
  explored_.recorded = shared.report.recorded;
  explored_.actual = shared.report.actual;
  return &explored_;
}

}  // namespace raddle
