// A wait that times out while what it waits for is coming: when its thread has the lock again it is
// there, and the thread gives the lock back without a look.
#include <set>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostLooks = 8;

// When the waiter has its lock again.
std::optional<std::size_t> locked_again(const std::vector<Event>& events, std::size_t wait,
                                        std::size_t wake) {
  for (std::size_t i = wake; i < events.size(); ++i) {
    const bool own = events[i].thread == events[wait].thread;
    if (own && events[i].kind == EventKind::acquire && events[i].object == events[wait].value)
      return i;
  }
  return std::nullopt;
}

std::size_t released(const std::vector<Event>& events, std::size_t locked) {
  std::size_t i = locked + 1;
  while (i < events.size() &&
         !(events[i].thread == events[locked].thread && events[i].kind == EventKind::release &&
           events[i].object == events[locked].object))
    ++i;
  return i;
}

// Another thread's change, between the wait and that moment, of what the waiter had looked at; and
// the waiter does not look at it as long as it holds the lock.
std::optional<std::size_t> missed_change(const CauseSearch& search, const Access& look,
                                         std::size_t wait, std::size_t locked) {
  const std::vector<Event>& events = search.events();
  const std::uint64_t object = events[look.event].object;
  const auto seen = value_read(events[look.event]);
  const auto write = search.history.last_write(object, locked);
  if (!seen || !write || write->event < wait || write->thread == look.thread) return std::nullopt;
  const auto written = value_written(events[write->event]);
  if (!written || *written == *seen) return std::nullopt;
  const std::size_t until = released(events, locked);
  for (const AccessHistory::Entry& entry : search.history.at(object)) {
    const std::size_t event = entry.access.event;
    if (entry.access.thread == look.thread && event > locked && event < until) return std::nullopt;
  }
  return write->event;
}

}  // namespace

std::optional<Explanation> find_missed_at_time_out(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  for (const auto& [wait, wake] : given_up(events)) {
    const auto locked = locked_again(events, wait, wake);
    if (!locked) continue;
    for (const Access& look : search.history.last_reads(events[wait].thread, wait, kMostLooks)) {
      const auto change = missed_change(search, look, wait, *locked);
      if (!change) continue;
      Storyteller teller(search.trace, search.failure, search.symbols);
      const std::set<std::size_t> shown = {look.event, wait, *change, wake};
      teller.look_at(shown);
      Explanation explanation;
      explanation.cause = Cause::kMissedAtTimeOut;
      explanation.object = teller.object(look.event);
      if (explanation.object.name.empty()) continue;
      explanation.first = teller.access(wait);
      explanation.middle = teller.access(*change);
      explanation.last = teller.access(wake);
      explanation.lock = ExplainedLock{teller.lock_name(events[wait].value), {}};
      explanation.suggestion = Suggestion::kLookAtTimeOut;
      teller.add_steps(explanation, shown, wake);
      return explanation;
    }
  }
  return std::nullopt;
}

}  // namespace raddle
