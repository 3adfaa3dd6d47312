// Threads wait at a std::barrier for ever: who left without arriving, or that fewer arrive than it
// waits for. The runtime knows no such object: it sees a number that a thread waits for to change.
#include <algorithm>
#include <map>
#include <set>

#include "host/describe/explain/counting/counted_objects.hpp"
#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/library_wait.hpp"

namespace raddle {
namespace {

constexpr std::size_t kLookedAt = 64;  // of the last reads of a thread that has ended

bool waits_at_barrier(const ThreadLine& line) {
  return line.blocked && library_waited_for(line.stack) == "std::barrier";
}

// Nobody else might arrive: all that are left wait at barriers, or for others to end.
bool nobody_else(const Failure& failure) {
  return std::all_of(failure.threads.begin(), failure.threads.end(), [](const ThreadLine& line) {
    return !line.blocked || line.doing.op == OpKind::thread_join || waits_at_barrier(line);
  });
}

class LibraryBarrier {
 public:
  LibraryBarrier(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : trace_(trace), events_(trace.all()), teller_(trace, failure, symbols), objects_(trace) {}

  std::optional<Explanation> run(const ThreadLine& waiter) {
    const CountedObject* barrier = waited_at(waiter.id);
    const auto own = std::find_if(waiter.stack.begin(), waiter.stack.end(),
                                  [](const Frame& frame) { return frame.in_program; });
    if (barrier == nullptr || !barrier->start || own == waiter.stack.end()) return std::nullopt;
    const std::set<std::uint16_t> dropped = who_dropped(*barrier);
    // Who drops out in this round arrives in it, too.
    const auto before = std::count_if(dropped.begin(), dropped.end(), [&](std::uint16_t thread) {
      return std::none_of(barrier->round.begin(), barrier->round.end(),
                          [&](std::size_t event) { return raw(events_[event].thread) == thread; });
    });
    const std::int64_t needed = *barrier->start - before;
    const auto arrived = static_cast<std::int64_t>(barrier->round.size());
    if (arrived >= needed) return std::nullopt;
    const std::map<std::uint16_t, std::size_t> left =
        who_left(*barrier, dropped, own->where.function);
    std::set<std::size_t> shown(barrier->round.begin(), barrier->round.end());
    for (const auto& [thread, last] : left) shown.insert(last);
    teller_.look_at(shown);
    Explanation explanation;
    explanation.counted = CountedKind::kBarrier;
    explanation.object = teller_.object(barrier->round.front());
    // The phase lies inside of it.
    const std::string& phase = explanation.object.name;
    explanation.object.name = phase.substr(0, phase.find("+0x"));
    explanation.object.field.clear();
    if (explanation.object.name.empty()) return std::nullopt;
    explanation.last.thread = waiter.id;
    explanation.last.where = own->where;
    explanation.waiters = barrier->round.size();
    explanation.needed = static_cast<std::size_t>(needed);
    explanation.cause = left.empty() ? Cause::kTooFewArrive : Cause::kMissingArrival;
    explanation.first = teller_.access(barrier->round.front());
    for (const auto& [thread, last] : left) explanation.arrivals.push_back(teller_.access(last));
    if (!left.empty()) explanation.first = explanation.arrivals.front();
    const bool enough = arrived + static_cast<std::int64_t>(left.size()) >= needed;
    if (!left.empty() && enough) explanation.suggestion = Suggestion::kArrive;
    // In a later round it is no mistake of how it was made.
    if (left.empty() && barrier->posts.size() == barrier->round.size())
      explanation.suggestion = Suggestion::kCountArrivals;
    add_steps(explanation, shown, left);
    return explanation;
  }

 private:
  const CountedObject* waited_at(ThreadId thread) const {
    for (const CountedObject& one : objects_.all()) {
      if (one.kind != CountedKind::kBarrier || objects_.at(one.address) != &one) continue;
      for (const std::size_t event : one.round)
        if (events_[event].thread == thread) return &one;
    }
    return nullptr;
  }

  std::set<std::uint16_t> who_dropped(const CountedObject& barrier) const {
    std::set<std::uint16_t> dropped;
    for (const std::size_t event : barrier.posts) {
      const std::vector<SiteFrame>& frames = trace_.site(events_[event].site).frames;
      if (std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
            return frame.function.find("arrive_and_drop") != std::string::npos;
          }))
        dropped.insert(raw(events_[event].thread));
    }
    return dropped;
  }

  // Threads that have ended and did not arrive in this round: each with what it read last in the
  // function that arrives. Who never was there has nothing to do with the barrier.
  std::map<std::uint16_t, std::size_t> who_left(const CountedObject& barrier,
                                                const std::set<std::uint16_t>& dropped,
                                                const std::string& function) {
    std::set<std::uint16_t> ended;
    std::map<std::uint16_t, std::vector<std::size_t>> reads;  // newest last
    ProgramSites program(trace_);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const std::uint16_t thread = raw(events_[i].thread);
      if (events_[i].kind == EventKind::thread_end) ended.insert(thread);
      if (access_of(events_[i], i).reads && program.contains(events_[i].site))
        reads[thread].push_back(i);
    }
    for (const std::size_t event : barrier.round) ended.erase(raw(events_[event].thread));
    for (const std::uint16_t thread : dropped) ended.erase(thread);
    std::set<std::size_t> looked_at;
    for (const std::uint16_t thread : ended) {
      const std::vector<std::size_t>& own = reads[thread];
      const std::size_t count = std::min(own.size(), kLookedAt);
      looked_at.insert(own.end() - static_cast<std::ptrdiff_t>(count), own.end());
    }
    teller_.look_at(looked_at);
    std::map<std::uint16_t, std::size_t> left;
    for (const std::size_t event : looked_at) {
      const std::vector<Where> stack = teller_.stacks().stack(event);
      const bool there = std::any_of(stack.begin(), stack.end(), [&](const Where& where) {
        return where.function == function && where.line != 0;
      });
      if (there) left[raw(events_[event].thread)] = event;
    }
    return left;
  }

  void add_steps(Explanation& explanation, const std::set<std::size_t>& shown,
                 const std::map<std::uint16_t, std::size_t>& left) const {
    std::size_t last = *shown.rbegin();
    for (const auto& [thread, event] : left) last = event;
    for (const std::size_t event : shown) {
      const auto gone = left.find(raw(events_[event].thread));
      const bool leaves = gone != left.end() && gone->second == event;
      ExplainedStep step = leaves ? teller_.step(event) : teller_.step(event, StepAction::kArrives);
      if (!leaves) step.object.clear();
      step.violates = event == last;
      teller_.add_step(explanation, std::move(step));
    }
  }

  const KeptTrace& trace_;
  const std::vector<Event>& events_;
  Storyteller teller_;
  CountedObjects objects_;
};

}  // namespace

std::optional<Explanation> explain_library_barrier(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols) {
  if (!nobody_else(failure)) return std::nullopt;
  const auto waiter =
      std::find_if(failure.threads.begin(), failure.threads.end(), waits_at_barrier);
  if (waiter == failure.threads.end()) return std::nullopt;
  return LibraryBarrier(trace, failure, symbols).run(*waiter);
}

}  // namespace raddle
