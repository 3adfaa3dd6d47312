// Waits: those that timed out, and those after which nobody looked again.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/describe/likely_number.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;    // of the failing thread, that its failure may depend on
constexpr std::size_t kMostPlaces = 32;  // that it used after a wait which timed out

std::uint32_t line_of(const CauseSearch& search, std::size_t event) {
  for (const SiteFrame& frame : search.trace.site(search.events()[event].site).frames)
    if (!is_system_header(frame.file)) return frame.line;
  return 0;
}

// The thread's first access of a place from an event on.
std::optional<std::size_t> first_access(const CauseSearch& search, std::uint64_t place,
                                        std::size_t from) {
  for (const AccessHistory::Entry& entry : search.history.at(place))
    if (entry.access.thread == search.failing && entry.access.event >= from)
      return entry.access.event;
  return std::nullopt;
}

// Another thread's, of the condition that the thread waits for, which woke somebody: the last one.
std::optional<std::size_t> signal_between(const std::vector<Event>& events, std::size_t wait,
                                          std::size_t wake) {
  for (std::size_t i = wake; i-- > wait;) {
    if (events[i].kind == EventKind::notify && events[i].object == events[wait].object &&
        events[i].value > 0 && events[i].thread != events[wait].thread)
      return i;
  }
  return std::nullopt;
}

// When the thread has the lock again, what made it wait is so again, and it goes on to something
// else that was changed while it waited: what it reads of that first.
std::optional<std::size_t> goes_on_anyway(const CauseSearch& search, const Access& look,
                                          std::size_t wait, std::size_t locked,
                                          std::size_t released) {
  const std::vector<Event>& events = search.events();
  const auto before = value_read(events[look.event]);
  const auto write = search.history.last_write(events[look.event].object, locked);
  if (!before || !write || write->event < wait || value_written(events[write->event]) != before)
    return std::nullopt;
  for (std::size_t i = locked; i < released; ++i) {
    if (events[i].thread != search.failing || !access_of(events[i], i).reads) continue;
    const auto other = search.history.last_write(events[i].object, i);
    if (other && other->event > wait && other->thread == write->thread) return i;
  }
  return std::nullopt;
}

// After the wait the thread finds what made it wait: the same value; or two that were equal, the
// two ends of an empty queue, are equal again.
bool finds_what_it_found(const CauseSearch& search, const Access& look, std::size_t used,
                         std::size_t locked) {
  const std::vector<Event>& events = search.events();
  const auto before = value_read(events[look.event]);
  const auto after = value_read(events[used]);
  if (before && before == after) return true;
  // Flags may be equal in more than one way; pointers are equal if nothing is between them.
  const bool pointer = before && events[look.event].size == sizeof(void*) &&
                       !likely_number(*before, events[look.event].size);
  if (!pointer || !after) return false;
  for (const Access& other : search.history.last_reads(search.failing, look.event, kMostReads)) {
    if (other.event == look.event || value_read(events[other.event]) != before) continue;
    if (line_of(search, other.event) != line_of(search, look.event)) continue;
    const auto again = first_access(search, events[other.event].object, locked);
    if (again && value_read(events[*again]) == after &&
        line_of(search, *again) == line_of(search, used))
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> given_up(const std::vector<Event>& events) {
  std::map<std::uint16_t, std::size_t> waits;
  std::map<std::uint16_t, std::vector<std::size_t>> calls;
  std::map<std::size_t, std::size_t> call_of;  // by wait: the function that it is in
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    std::vector<std::size_t>& own = calls[raw(event.thread)];
    if (event.kind == EventKind::enter) own.push_back(i);
    if (event.kind == EventKind::exit && !own.empty()) own.pop_back();
    if (event.kind == EventKind::wait) {
      waits[raw(event.thread)] = i;
      call_of[i] = own.empty() ? 0 : own.back();
      std::erase_if(found, [&](const auto& one) {
        return events[one.first].thread == event.thread &&
               events[one.first].object == event.object && call_of[one.first] == call_of[i];
      });
    }
    if (event.kind != EventKind::wake || event.value != 1) continue;
    found.emplace_back(waits[raw(event.thread)], i);
  }
  return found;
}

bool is_look(const CauseSearch& search, std::size_t wait, std::size_t read) {
  const std::vector<Event>& events = search.events();
  const ThreadId waiter = events[wait].thread;
  std::size_t locked = 0;  // when it took the lock that it waits with
  for (std::size_t i = 0; i < wait; ++i) {
    const bool taken = events[i].kind == EventKind::acquire && (events[i].flags & kByWait) == 0;
    if (taken && events[i].thread == waiter && events[i].object == events[wait].value) locked = i;
  }
  const auto& all = search.history.at(events[read].object);
  return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
    const std::size_t event = entry.access.event;
    return entry.access.thread == waiter && entry.access.reads && event > locked && event < wait &&
           line_of(search, event) == line_of(search, read);
  });
}

bool wakes_between(const std::vector<Event>& events, ThreadId thread, std::size_t from,
                   std::size_t to) {
  for (std::size_t i = from + 1; i < to; ++i)
    if (events[i].thread == thread && events[i].kind == EventKind::wake) return true;
  return false;
}

// What the failing thread reads first of the place when its wait is over, but for the looks of the
// wait itself: what it makes there later is its own.
static std::optional<std::size_t> first_use(const CauseSearch& search, std::uint64_t place,
                                            std::size_t wait, std::size_t wake) {
  for (const AccessHistory::Entry& entry : search.history.at(place)) {
    const Access& access = entry.access;
    if (access.thread != search.failing || access.event < wake) continue;
    if (access.writes) return std::nullopt;
    if (access.reads && !is_look(search, wait, access.event)) return access.event;
  }
  return std::nullopt;
}

std::optional<Explanation> find_own_time_out(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  std::optional<std::pair<std::size_t, std::size_t>> last;
  for (const auto& [wait, wake] : given_up(events))
    if (events[wait].thread == search.failing) last = {wait, wake};
  if (!last) return std::nullopt;
  const auto [wait, wake] = *last;
  std::size_t released = events.size();  // what it waited for is guarded by this lock
  for (std::size_t i = wake; i < released; ++i) {
    const bool own = events[i].thread == search.failing && events[i].kind == EventKind::release;
    if (own && events[i].object == events[wait].value) released = i;
  }
  for (const Access& place :
       search.history.last_reads(search.failing, events.size(), kMostPlaces)) {
    const auto read = first_use(search, events[place.event].object, wait, wake);
    if (!read || *read > released || is_written(events, *read, wait)) continue;
    if (wakes_between(events, search.failing, wake, *read)) continue;
    Storyteller teller(search.trace, search.failure, search.symbols);
    const std::set<std::size_t> shown = {wait, wake, *read};
    teller.look_at(shown);
    Explanation explanation;
    explanation.cause = Cause::kGaveUpWaiting;
    explanation.object = teller.object(*read);
    if (explanation.object.name.empty()) continue;
    explanation.first = teller.access(wait);
    explanation.middle = explanation.last = teller.access(*read);  // no write is known
    explanation.suggestion = Suggestion::kHandleTimeOut;
    teller.add_steps(explanation, shown, *read);
    return explanation;
  }
  return std::nullopt;
}

std::optional<Explanation> find_passed_time_out(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  for (const auto& [wait, wake] : given_up(events)) {
    if (events[wait].thread == search.failing) continue;
    for (std::size_t i = wake; i < events.size(); ++i) {
      const bool own = events[i].thread == search.failing && events[i].kind == EventKind::acquire;
      if (!own || events[i].object != events[wait].value) continue;
      Storyteller teller(search.trace, search.failure, search.symbols);
      const std::set<std::size_t> shown = {wait, wake, i};
      teller.look_at(shown);
      Explanation explanation;
      explanation.cause = Cause::kTimeOut;
      explanation.other = teller.object(wait);
      explanation.first = teller.access(wait);
      explanation.middle = teller.access(i);
      explanation.lock = ExplainedLock{teller.lock_name(events[wait].value), {}};
      teller.add_steps(explanation, shown, i);
      return explanation;
    }
  }
  return std::nullopt;
}

std::optional<Explanation> find_unchecked_wait(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  std::optional<std::size_t> wait;
  std::optional<std::size_t> wake;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread != search.failing) continue;
    if (events[i].kind == EventKind::wait) wait = i;
    if (events[i].kind == EventKind::wake) wake = i;
  }
  if (!wait || !wake || *wake < *wait || events[*wake].value == 1) return std::nullopt;
  std::size_t locked = events.size();  // when it had the lock again
  for (std::size_t i = *wake; i < events.size() && locked == events.size(); ++i) {
    const bool own = events[i].thread == search.failing && events[i].kind == EventKind::acquire;
    if (own && events[i].object == events[*wait].value) locked = i;
  }
  // What it does when it has given the lock up rests on what it finds then.
  std::size_t released = events.size();
  std::set<std::uint32_t> looked_at;  // lines, until then
  const auto line = [&](std::size_t index) { return line_of(search, index); };
  for (std::size_t i = locked; i < released; ++i) {
    if (events[i].thread != search.failing) continue;
    if (access_of(events[i], i).reads) looked_at.insert(line(i));
    const bool releases = events[i].kind == EventKind::release && events[i].value == 0;
    if (releases && events[i].object == events[*wait].value) released = i;
  }
  std::size_t latest = 0;  // of several, what it came to last is what it failed by
  std::optional<Explanation> chosen;
  for (const Access& look : search.history.last_reads(search.failing, *wait, kMostReads)) {
    if (line(look.event) == 0 || looked_at.contains(line(look.event))) continue;  // a loop
    const Event& before = events[look.event];
    std::optional<std::size_t> taken;  // what another thread did to it before the lock was there
    std::set<std::size_t> written;     // by others, while it waited
    std::optional<std::size_t> used;
    bool shared = false;
    for (const AccessHistory::Entry& entry : search.history.at(before.object)) {
      const Access& access = entry.access;
      shared = shared || (access.thread != search.failing && access.writes);
      if (access.event < *wait) continue;
      if (access.thread != search.failing && access.writes && access.event < locked) {
        taken = access.event;
        written.insert(access.event);
      }
      const bool own = access.thread == search.failing;
      if (own && !used && access.event > locked && access.event < released) used = access.event;
    }
    const bool looks_at_it = used.has_value();
    if (!used) used = goes_on_anyway(search, look, *wait, locked, released);
    if (!used) continue;
    if (looks_at_it && !finds_what_it_found(search, look, *used, locked)) continue;
    // A signal of something earlier: nobody changed anything while it waited.
    if (!taken && shared && !is_written(events, *used, *wait))
      taken = signal_between(events, *wait, *wake);
    if (!taken || *used < latest) continue;
    latest = *used;
    Storyteller teller(search.trace, search.failure, search.symbols);
    std::set<std::size_t> all = {look.event, *wait, *used};
    all.insert(written.begin(), written.end());
    for (std::size_t i = *wait; i < *wake; ++i) {
      if (events[i].kind == EventKind::notify && events[i].object == events[*wait].object &&
          events[i].value > 0) {
        all.insert(i);
      }
    }
    teller.look_at(all);
    Explanation explanation;
    explanation.cause = Cause::kNotCheckedAgain;
    explanation.object = teller.object(look.event);
    explanation.first = teller.access(*wait);
    explanation.first.read = teller.access(look.event).read;
    explanation.middle = teller.access(*taken);
    if (written.size() > 1) {
      explanation.change = teller.access(*std::prev(written.end(), 2));
    }
    explanation.last = teller.access(*used);
    explanation.waited = teller.where(*wait);
    explanation.lock = ExplainedLock{teller.lock_name(events[*wait].value), {}};
    explanation.suggestion = Suggestion::kLookAgain;
    teller.add_steps(explanation, all, *used);
    chosen = std::move(explanation);
  }
  return chosen;
}

}  // namespace raddle
