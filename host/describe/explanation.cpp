#include "host/describe/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "host/base/printable.hpp"
#include "host/describe/event_words.hpp"
#include "host/describe/explainer.hpp"
#include "host/describe/interference.hpp"
#include "host/describe/lifetime.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

// A thread waits for a condition that was signalled when nobody waited.
std::optional<Explanation> lost_signal(const KeptTrace& trace, const Failure& failure) {
  if (failure.kind != OutcomeKind::kDeadlock || !failure.cycle.empty()) return std::nullopt;
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
      ObjectNames names;
      Explanation explanation;
      trace.tell(names, [&](std::size_t index) {
        if (index != i && index != wait) return;
        const Event& now = events[index];
        const SiteName& site = names.sites()[now.site];
        ExplainedStep step{raw(now.thread), now.step,
                           Where{site.file, site.line, short_function(site.function)},
                           printable(event_words(now, names, NameForm::kField)), index == wait};
        ThreadLine line;
        line.id = raw(now.thread);
        const auto known = std::find_if(failure.threads.begin(), failure.threads.end(),
                                        [&](const ThreadLine& t) { return t.id == line.id; });
        if (known != failure.threads.end()) line.name = known->name;
        const bool listed = std::any_of(explanation.threads.begin(), explanation.threads.end(),
                                        [&](const ThreadLine& t) { return t.id == line.id; });
        if (!listed) explanation.threads.push_back(std::move(line));
        explanation.title = "lost signal: " + printable(names.name(now, NameForm::kField));
        explanation.steps.push_back(std::move(step));
      });
      explanation.sentences.push_back(
          fmt::format("The signal came before T{} waited: nobody was there to be woken, and a "
                      "condition variable remembers nothing.",
                      thread));
      explanation.suggestion =
          "set a variable under the lock before the signal, and wait in a loop that looks at it.";
      return explanation;
    }
  }
  return std::nullopt;
}

bool waits_for_lock(const ThreadLine& thread) {
  return thread.blocked && thread.doing.find("lock ") != std::string::npos;
}

std::optional<Explanation> lock_cycle(const Failure& failure) {
  if (failure.kind != OutcomeKind::kDeadlock || failure.cycle.size() < 2) return std::nullopt;
  const auto waiting = static_cast<std::size_t>(
      std::count_if(failure.threads.begin(), failure.threads.end(), waits_for_lock));
  if (waiting < failure.cycle.size()) return std::nullopt;
  Explanation explanation;
  explanation.sentences.push_back("Each of them holds what the next one waits for.");
  explanation.suggestion =
      "let every thread take these locks in the same order, or all at once (std::scoped_lock).";
  return explanation;
}

}  // namespace

Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  if (auto cycle = lock_cycle(failure)) return std::move(*cycle);
  if (failure.kind == OutcomeKind::kDeadlock) {
    return lost_signal(trace, failure).value_or(Explanation{});
  }
  const bool failed = failure.kind != OutcomeKind::kNone;
  const ThreadId failing = failed ? ThreadId{failure.thread} : kNoThread;
  if (const std::optional<UseAfterFree> gone = find_use_after_free(trace, failing)) {
    return explain_use_after_free(trace, failure, *gone, symbols);
  }
  const std::optional<Interference> found = find_interference(trace, failing);
  if (!found) return {};
  return Explainer(trace, failure, *found, symbols).run();
}

}  // namespace raddle
