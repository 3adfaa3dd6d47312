// Threads that wait for futures, when nobody else is left: in tasks that the same threads run.
#include <algorithm>
#include <string_view>

#include "host/describe/explain/deadlock.hpp"

namespace raddle {
namespace {

bool waits_for_future(const Frame& frame) {
  const std::string_view name = frame.where.function;
  return name.starts_with("std::future::") || name.starts_with("std::shared_future::") ||
         name.starts_with("std::__basic_future::") ||
         name.starts_with("std::__future_base::_State_baseV2::wait");
}

// Of std::packaged_task and std::async.
bool runs_task(const Frame& frame) {
  const std::string_view name = frame.where.function;
  return name.starts_with("std::packaged_task::") ||
         name.starts_with("std::__future_base::_Task_") ||
         name.starts_with("std::__future_base::_Async_state");
}

// Where the thread waits for a future; it is `called` in a task, whose `function` the program has.
std::optional<ExplainedAccess> future_wait(const ThreadLine& line) {
  const auto own = std::find_if(line.stack.begin(), line.stack.end(),
                                [](const Frame& frame) { return frame.in_program; });
  if (own == line.stack.end() || own->where.line == 0 ||
      std::none_of(line.stack.begin(), own, waits_for_future))
    return std::nullopt;
  ExplainedAccess wait;
  wait.thread = line.id;
  wait.where = own->where;
  for (auto frame = own; frame != line.stack.end() && !wait.called; ++frame) {
    wait.called = runs_task(*frame);
    if (has_function_name(*frame)) wait.function = frame->where.function;
  }
  if (!wait.called) wait.function.clear();
  return wait;
}

}  // namespace

std::optional<Explanation> explain_unfulfilled_futures(const Failure& failure) {
  Explanation explanation;
  explanation.cause = Cause::kUnfulfilledFutures;
  explanation.object.name = explanation.object.field = "a future";
  for (const ThreadLine& line : failure.threads) {
    if (!line.blocked) continue;
    const std::optional<ExplainedAccess> wait = future_wait(line);
    // Somebody who waits for anything else might have fulfilled it.
    if (!wait && line.doing.op != OpKind::thread_join) return std::nullopt;
    if (!wait) continue;
    explanation.arrivals.push_back(*wait);
    explanation.threads.push_back({line.id, line.name});
    ExplainedStep step;
    step.thread = line.id;
    step.step = line.last_steps.empty() ? 0 : line.last_steps.back().step;
    step.where = wait->where;
    step.action = StepAction::kWaitsOn;
    step.violates = true;
    explanation.steps.push_back(step);
  }
  if (explanation.arrivals.empty()) return std::nullopt;
  // Those in tasks first: they could have run what the others wait for.
  std::stable_sort(explanation.arrivals.begin(), explanation.arrivals.end(),
                   [](const auto& one, const auto& other) { return one.called && !other.called; });
  std::stable_sort(explanation.steps.begin(), explanation.steps.end(),
                   [](const auto& one, const auto& other) { return one.step < other.step; });
  for (ExplainedStep& step : explanation.steps) step.violates = &step == &explanation.steps.back();
  explanation.first = explanation.arrivals.front();
  explanation.last = explanation.arrivals.back();
  if (explanation.first.called) explanation.suggestion = Suggestion::kNotInTask;
  return explanation;
}

}  // namespace raddle
