// Something was put into a container when whoever takes out of it had looked for the last time and
// ended: nobody is left to take it, and somebody waits for what would follow.
#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads =
    16;  // of a thread before it ended, or before it put something in

constexpr std::array<std::string_view, 4> kPuts = {"push", "emplace", "insert", "append"};
constexpr std::array<std::string_view, 5> kTakes = {"pop", "erase", "clear", "extract", "splice"};

struct PutTooLate {
  std::size_t look = 0;  // the taker's last
  std::size_t put = 0;
  std::size_t end = 0;  // of the taker
};

// What the thread that put something in had read of a variable that the taker saw changed.
struct Crossed {
  std::size_t look = 0;
  std::size_t change = 0;
  std::size_t seen = 0;  // by the taker
};

class Search {
 public:
  Search(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : trace_(trace),
        events_(trace.all()),
        failure_(failure),
        history_(trace),
        teller_(trace, failure, symbols) {}

  std::optional<Explanation> run() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].kind != EventKind::thread_end) continue;
      for (const Access& look : history_.last_reads(events_[i].thread, i, kMostReads)) {
        const auto put = put_after(look, i);
        if (!put) continue;
        if (auto found = explain({look.event, *put, i})) return found;
      }
    }
    return std::nullopt;
  }

 private:
  // A function of a container in the library's headers that the program called.
  bool calls(std::size_t event, std::span<const std::string_view> names) const {
    const std::vector<SiteFrame>& frames = trace_.site(events_[event].site).frames;
    return std::any_of(frames.begin(), frames.end(), [&](const SiteFrame& frame) {
      if (!is_system_header(frame.file)) return false;
      const std::string_view name = frame.function;
      const std::size_t scope = name.substr(0, name.find('(')).rfind("::");
      const std::string_view own = scope == std::string_view::npos ? name : name.substr(scope + 2);
      return std::any_of(names.begin(), names.end(),
                         [&](std::string_view one) { return own.starts_with(one); });
    });
  }

  // By another thread, and nobody but those who put looks there afterwards, nor might: whoever
  // looked there otherwise has ended.
  std::optional<std::size_t> put_after(const Access& look, std::size_t end) const {
    if (look.writes || calls(look.event, kPuts)) return std::nullopt;
    std::optional<std::size_t> put;
    for (const AccessHistory::Entry& entry : history_.at(events_[look.event].object)) {
      const Access& access = entry.access;
      const bool puts = calls(access.event, kPuts);
      if (!puts && access.event > look.event && access.event > end) return std::nullopt;
      if (!puts && access.reads && access.thread != look.thread && !has_ended(access.thread) &&
          began_before(look.thread, access.event))
        return std::nullopt;
      const bool late = access.event > look.event && access.writes && access.thread != look.thread;
      if (late && puts) put = access.event;
    }
    return put;
  }

  bool has_ended(ThreadId thread) const {
    return std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
      return event.thread == thread && event.kind == EventKind::thread_end;
    });
  }

  // What was read before there was a taker prepared what it works with.
  bool began_before(ThreadId thread, std::size_t event) const {
    for (std::size_t i = 0; i < event; ++i)
      if (events_[i].thread == thread && events_[i].kind == EventKind::thread_begin) return true;
    return false;
  }

  // Under the same lock as the put, the taker took something out before, or looks in a function
  // that waits until there is something; its condition may be a function of its own.
  bool takes(const PutTooLate& found) const {
    const ThreadId taker = events_[found.look].thread;
    const std::vector<std::uint64_t> locks = teller_.stacks().held(found.put);
    if (std::none_of(locks.begin(), locks.end(), [&](std::uint64_t lock) {
          return teller_.stacks().taken(found.look, lock).has_value();
        }))
      return false;
    for (const AccessHistory::Entry& entry : history_.at(events_[found.look].object))
      if (entry.access.thread == taker && calls(entry.access.event, kTakes)) return true;
    const std::vector<std::size_t> stack = teller_.stacks().calls(found.look);
    const auto inner =
        stack.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, stack.size()));
    return std::any_of(inner, stack.end(), [&](std::size_t call) {
      return (trace_.site(events_[call].site).flags & kSiteWaits) != 0;
    });
  }

  std::optional<Crossed> crossed(const PutTooLate& found) {
    const ThreadId putter = events_[found.put].thread;
    const ThreadId taker = events_[found.look].thread;
    for (const Access& look : history_.last_reads(putter, found.put, kMostReads)) {
      const std::uint64_t place = events_[look.event].object;
      if (look.writes || place == events_[found.look].object) continue;
      std::optional<Crossed> one;
      for (const AccessHistory::Entry& entry : history_.at(place)) {
        const Access& access = entry.access;
        if (access.event < look.event || access.event > found.end) continue;
        if (access.writes && access.thread != putter && !one &&
            value_written(events_[access.event]) != value_read(events_[look.event]))
          one = Crossed{look.event, access.event, 0};
        else if (access.writes && one)
          one->seen = 0;
        if (one && access.reads && access.thread == taker) one->seen = access.event;
      }
      if (one && one->seen != 0) return one;
    }
    return std::nullopt;
  }

  std::optional<Explanation> explain(const PutTooLate& found) {
    const auto flag = crossed(found);
    std::set<std::size_t> shown = {found.look, found.put, found.end};
    if (flag) shown.insert({flag->look, flag->change, flag->seen});
    teller_.look_at(shown);
    if (!takes(found)) return std::nullopt;
    Explanation explanation;
    explanation.cause = Cause::kPutTooLate;
    explanation.object = container(found);
    explanation.first = teller_.access(found.put);
    explanation.middle = teller_.access(found.look);
    const WaitingThread* waiter = waiting(events_[found.put].thread);
    if (waiter == nullptr || explanation.object.name.empty() || explanation.first.where.line == 0 ||
        explanation.middle.where.line == 0)
      return std::nullopt;
    explanation.last.thread = waiter->thread;
    explanation.last.where = waiter->where;
    std::set<std::size_t> steps = {found.look, found.put};
    if (flag && !teller_.object(flag->look).name.empty()) {
      add_flag(explanation, *flag, found);
      steps.insert({flag->look, flag->change});
    }
    for (const std::size_t event : steps) {
      ExplainedStep step = teller_.step(event);
      if (event == found.put || event == found.look) step.object = explanation.object.field;
      step.violates = event == found.put;
      teller_.add_step(explanation, std::move(step));
    }
    return explanation;
  }

  // std::queue and the like have theirs as a member, which nobody knows by its name.
  ExplainedObject container(const PutTooLate& found) const {
    ExplainedObject object = teller_.object(found.look);
    const std::vector<SiteFrame>& frames = trace_.site(events_[found.put].site).frames;
    const bool inside = std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return frame.function.starts_with("std::queue") ||
             frame.function.starts_with("std::priority_queue") ||
             frame.function.starts_with("std::stack");
    });
    if (!inside || !object.name.ends_with(".c")) return object;
    object.name.resize(object.name.size() - 2);
    object.field = object.name.substr(object.name.rfind('.') + 1);
    return object;
  }

  void add_flag(Explanation& explanation, const Crossed& flag, const PutTooLate& found) const {
    const ExplainedStacks& stacks = teller_.stacks();
    explanation.other = teller_.object(flag.look);
    explanation.early = teller_.access(flag.look);
    explanation.change = teller_.access(flag.change);
    for (const std::uint64_t lock : stacks.held(found.put)) {
      // The taker looked at both under it: who looks and puts under it comes before that or after.
      const auto taken = stacks.taken(found.look, lock);
      if (!taken) continue;
      explanation.lock = ExplainedLock{teller_.lock_name(lock), {}};
      explanation.lock->first = stacks.taken(flag.look, lock).has_value();
      explanation.lock->taken = teller_.where(*stacks.taken(found.put, lock));
      if (explanation.lock->name.empty()) {
        explanation.lock.reset();
        continue;
      }
      if (stacks.taken(flag.seen, lock) == taken) explanation.suggestion = Suggestion::kPutLocked;
      break;
    }
  }

  // Rather the one that put it in.
  const WaitingThread* waiting(ThreadId putter) const {
    const std::vector<WaitingThread>& all = failure_.verdict->waiting;
    const auto own = std::find_if(all.begin(), all.end(),
                                  [&](const WaitingThread& one) { return one.thread == putter; });
    if (own != all.end()) return &*own;
    return all.empty() ? nullptr : &all.front();
  }

  const KeptTrace& trace_;
  const std::vector<Event>& events_;
  const Failure& failure_;
  AccessHistory history_;
  Storyteller teller_;
};

}  // namespace

std::optional<Explanation> explain_put_too_late(const KeptTrace& trace, const Failure& failure,
                                                Symbolizer& symbols) {
  if (!failure.verdict) return std::nullopt;
  return Search(trace, failure, symbols).run();
}

}  // namespace raddle
