#include "host/describe/explanation.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "host/base/printable.hpp"
#include "host/describe/explainer.hpp"
#include "host/describe/interference.hpp"
#include "host/describe/lifetime.hpp"
#include "host/describe/op_classes.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

ExplainedStep signal_step(const Event& now, const ObjectNames& names) {
  const SiteName& site = names.sites()[now.site];
  ExplainedStep step;
  step.thread = now.thread;
  step.step = now.step;
  step.where = Where{site.file, site.line, short_function(site.function)};
  if (now.kind == EventKind::wait) {
    step.action = StepAction::kWaitsOn;
    if (now.value != 0) step.lock = printable(names.name(now.value, NameForm::kShort));
    step.violates = true;
  } else {
    step.action = (now.flags & kAll) != 0 ? StepAction::kNotifiesAll : StepAction::kNotifies;
    step.woken = now.value;
  }
  return step;
}

Explanation explain_lost_signal(const KeptTrace& trace, const Failure& failure, std::size_t signal,
                                std::size_t wait) {
  const std::vector<Event>& events = trace.all();
  Explanation explanation;
  explanation.cause = Cause::kLostSignal;
  explanation.suggestion = Suggestion::kSetVariable;
  explanation.last.thread = events[wait].thread;
  ObjectNames names;
  trace.tell(names, [&](std::size_t index) {
    if (index != signal && index != wait) return;
    const Event& now = events[index];
    const bool listed =
        std::any_of(explanation.threads.begin(), explanation.threads.end(),
                    [&](const ExplainedThread& thread) { return thread.id == now.thread; });
    if (!listed) explanation.threads.push_back({now.thread, name_in(failure, now.thread)});
    explanation.object.name = printable(names.name(now, NameForm::kField));
    explanation.steps.push_back(signal_step(now, names));
  });
  return explanation;
}

// A thread waits for a condition that was signalled when nobody waited.
std::optional<Explanation> lost_signal(const KeptTrace& trace, const Failure& failure) {
  std::map<std::uint16_t, std::size_t> waiting;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::wait) waiting[raw(events[i].thread)] = i;
    if (events[i].kind == EventKind::wake) waiting.erase(raw(events[i].thread));
  }
  for (const auto& [thread, wait] : waiting) {
    for (std::size_t i = wait; i-- > 0;) {
      const Event& event = events[i];
      if (event.kind != EventKind::notify || event.object != events[wait].object) continue;
      if (event.value != 0) break;
      return explain_lost_signal(trace, failure, i, wait);
    }
  }
  return std::nullopt;
}

bool waits_for_lock(const ThreadLine& thread) {
  return thread.blocked && is_lock_op(thread.doing.op);
}

Explanation explain_deadlock(const KeptTrace& trace, const Failure& failure) {
  const std::size_t cycle = failure.verdict ? failure.verdict->cycle.size() : 0;
  const auto waiting = static_cast<std::size_t>(
      std::count_if(failure.threads.begin(), failure.threads.end(), waits_for_lock));
  if (cycle >= 2 && waiting >= cycle) {
    Explanation explanation;
    explanation.cause = Cause::kLockCycle;
    explanation.suggestion = Suggestion::kSameOrder;
    return explanation;
  }
  return cycle == 0 ? lost_signal(trace, failure).value_or(Explanation{}) : Explanation{};
}

}  // namespace

Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  if (failure.kind == OutcomeKind::kDeadlock) return explain_deadlock(trace, failure);
  const bool failed = failure.kind != OutcomeKind::kNone;
  const ThreadId failing = failed ? failure.thread : kNoThread;
  if (const std::optional<UseAfterFree> gone = find_use_after_free(trace, failing)) {
    return explain_use_after_free(trace, failure, *gone, symbols);
  }
  const std::optional<Interference> found = find_interference(trace, failing);
  if (!found) return {};
  return Explainer(trace, failure, *found, symbols).run();
}

std::string name_in(const Failure& failure, ThreadId thread) {
  const auto known = std::find_if(failure.threads.begin(), failure.threads.end(),
                                  [&](const ThreadLine& line) { return line.id == thread; });
  return known == failure.threads.end() ? std::string() : known->name;
}

}  // namespace raddle
