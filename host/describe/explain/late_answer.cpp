// A wait that times out, and what comes after that all the same: an answer to a request that nobody
// waits for any more, which the next request takes for its own.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;  // of the failing thread, that its failure may depend on

struct TimedOut {
  std::size_t wait = 0;
  std::size_t wake = 0;
  std::optional<std::size_t> again;  // the waiter's next wait for the same
  bool left = false;                 // that one is in another call
};

std::vector<TimedOut> time_outs(const std::vector<Event>& events) {
  const auto left = given_up(events);
  std::map<std::uint16_t, std::size_t> waits;                           // each thread's last
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t> open;  // in `found`
  std::vector<TimedOut> found;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint16_t thread = raw(events[i].thread);
    if (events[i].kind == EventKind::wait) {
      waits[thread] = i;
      const auto before = open.extract({thread, events[i].object});
      if (before) found[before.mapped()].again = i;
    }
    if (events[i].kind != EventKind::wake || events[i].value != 1 || !waits.contains(thread))
      continue;
    const std::size_t wait = waits[thread];
    const bool is_left = std::find(left.begin(), left.end(), std::pair(wait, i)) != left.end();
    open[{thread, events[wait].object}] = found.size();
    found.push_back({wait, i, {}, is_left});
  }
  return found;
}

class LateAnswer {
 public:
  LateAnswer(const CauseSearch& search, const TimedOut& wait, const Access& read)
      : search_(search), events_(search.events()), wait_(wait), read_(read) {}

  std::optional<Explanation> run() {
    const auto write = search_.history.last_write(events_[read_.event].object, read_.event);
    if (!write || write->thread == waiter() || write->event < wait_.wake) return std::nullopt;
    if (!looked_for(*write)) return std::nullopt;
    const News news = news_at(*write);
    // In one call the waiter may wait on in a loop, and what comes is what it waits for.
    if (news == News::kSeen || (news == News::kNone && !wait_.left)) return std::nullopt;
    return explained(*write, news);
  }

 private:
  // What the waiter wrote between the time-out and its next wait, and the answering thread reads:
  // nothing, something that it had yet to see when it answered, or all of it was seen.
  enum class News { kNone, kUnseen, kSeen };

  ThreadId waiter() const { return events_[wait_.wait].thread; }

  // The waiter had looked for it before it gave up, and it was not what is there now. It may have
  // looked at a part: whether there is a value.
  bool looked_for(const Access& write) const {
    const Event& now = events_[write.event];
    const auto written = value_written(now);
    for (std::uint64_t at = now.object; at < now.object + std::max<std::uint64_t>(now.size, 1);
         ++at) {
      for (const AccessHistory::Entry& entry : search_.history.at(at)) {
        const Event& look = events_[entry.access.event];
        if (look.object != at || entry.access.event >= wait_.wake) continue;
        if (entry.access.thread != waiter() || !entry.access.reads) continue;
        const auto seen = value_read(look);
        if (!seen || !written || *seen != part_of(*written, at - now.object, look.size))
          return true;
      }
    }
    return false;
  }

  static std::uint64_t part_of(std::uint64_t value, std::uint64_t distance, std::uint16_t bytes) {
    const std::uint64_t part = distance < 8 ? value >> (8 * distance) : 0;
    return bytes == 0 || bytes >= 8 ? part : part & ((std::uint64_t{1} << (8 * bytes)) - 1);
  }

  // Whether the answer is one to what the waiter asked for since.
  News news_at(const Access& write) const {
    if (!wait_.again || *wait_.again > write.event || !gave_lock_up()) return News::kNone;
    const std::uint64_t answer = events_[write.event].object;
    News news = News::kNone;
    for (std::size_t i = wait_.wake; i < *wait_.again; ++i) {
      if (events_[i].thread != waiter() || !access_of(events_[i], i).writes) continue;
      if (events_[i].object == answer) continue;
      bool read = false;
      bool in_time = false;
      for (const AccessHistory::Entry& entry : search_.history.at(events_[i].object)) {
        const Access& access = entry.access;
        if (access.thread != write.thread || !access.reads) continue;
        read = true;
        in_time = in_time || (access.event > i && access.event < write.event);
      }
      // Who looks at a queue may see that there is more, and has yet to take it.
      if (read && !in_time) return News::kUnseen;
      if (in_time) news = News::kSeen;
    }
    return news;
  }

  bool gave_lock_up() const {
    return std::any_of(
        events_.begin() + static_cast<std::ptrdiff_t>(wait_.wake),
        events_.begin() + static_cast<std::ptrdiff_t>(*wait_.again), [&](const Event& event) {
          return event.kind == EventKind::release && event.thread == waiter() &&
                 event.object == events_[wait_.wait].value && (event.flags & kByWait) == 0;
        });
  }

  // The waiter had made it ready for another answer.
  std::optional<std::size_t> reset_before(const Access& write) const {
    std::optional<std::size_t> reset;
    for (const AccessHistory::Entry& entry : search_.history.at(events_[read_.event].object)) {
      const bool between = entry.access.event > wait_.wake && entry.access.event < write.event;
      if (between && entry.access.writes && entry.access.thread == waiter())
        reset = entry.access.event;
    }
    return reset;
  }

  // It came while the waiter was in its next wait.
  bool came_in_next_wait(const Access& write) const {
    return wait_.again && *wait_.again < write.event &&
           !wakes_between(events_, waiter(), *wait_.again, write.event);
  }

  Explanation explained(const Access& write, News news) const {
    const auto reset = reset_before(write);
    Storyteller teller(search_.trace, search_.failure, search_.symbols);
    std::set<std::size_t> shown = {wait_.wait, wait_.wake, write.event, read_.event};
    if (reset) shown.insert(*reset);
    const bool again = came_in_next_wait(write);
    if (again) shown.insert(*wait_.again);
    teller.look_at(shown);
    Explanation explanation;
    explanation.cause = Cause::kTimeOut;
    if (reset) explanation.late = teller.access(*reset);
    if (again) explanation.early = teller.access(*wait_.again);
    if (reset || news == News::kUnseen) explanation.suggestion = Suggestion::kTagAnswer;
    explanation.object = teller.object(read_.event);
    explanation.other = teller.object(wait_.wait);
    explanation.first = teller.access(wait_.wait);
    explanation.middle = teller.access(write.event);
    explanation.last = teller.access(read_.event);
    teller.add_steps(explanation, shown, read_.event);
    return explanation;
  }

  const CauseSearch& search_;
  const std::vector<Event>& events_;
  const TimedOut& wait_;
  const Access& read_;
};

}  // namespace

std::optional<Explanation> find_late_answer(const CauseSearch& search) {
  const std::vector<TimedOut> timed_out = time_outs(search.events());
  const std::vector<Access> reads =
      search.history.last_reads(search.failing, search.events().size(), kMostReads);
  for (auto wait = timed_out.rbegin(); wait != timed_out.rend(); ++wait) {
    for (const Access& read : reads) {
      if (auto found = LateAnswer(search, *wait, read).run()) return found;
    }
  }
  return std::nullopt;
}

}  // namespace raddle
