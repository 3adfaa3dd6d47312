#include "host/describe/explain/gates.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/explained_stack.hpp"

namespace raddle {
namespace {

constexpr std::size_t kNever = ~std::size_t{0};

struct Stay {
  std::uint64_t gate = 0;
  ThreadId thread{};
  std::size_t look = 0;  // that found it open
  std::size_t taken = 0;
  std::size_t end = kNever;

  bool holds(std::size_t event) const { return taken < event && event < end; }
};

// Every stay behind a gate, of one execution. A variable is a gate if it goes from 0 to something
// and back by the same thread, and nothing else ever happens to it.
class Stays {
 public:
  explicit Stays(const std::vector<Event>& events) : events_(events) {
    for (const Event& event : events)
      if (event.kind == EventKind::await) semaphores_.insert(event.object);
    for (std::size_t i = 0; i < events.size(); ++i) on(i);
    std::erase_if(stays_, [&](const Stay& stay) {
      return others_.contains(stay.gate) || !opened_.contains(stay.gate);
    });
  }

  // The thread's at that event, if it is of an atomic variable, or of a semaphore.
  std::vector<Stay> at(ThreadId thread, std::size_t event) const {
    std::vector<Stay> found;
    for (const Stay& stay : stays_)
      if (stay.thread == thread && stay.holds(event)) found.push_back(stay);
    return found;
  }
  const std::vector<Stay>& all() const { return stays_; }

 private:
  void on(std::size_t index) {
    const Event& event = events_[index];
    if (event.kind == EventKind::await) return enter(event, index, index);
    if (event.kind == EventKind::signal) return leave(event, index);
    if (!is_atomic(event.kind) || event.kind == EventKind::fence) return;
    if (semaphores_.contains(event.object)) return;  // its own count
    const Access access = access_of(event, index);
    const auto read = value_read(event);
    const auto written = value_written(event);
    if (access.reads && !access.writes) {
      if (read == 0U) looks_[{event.object, raw(event.thread)}] = index;
      return;
    }
    if (!access.writes || !written) return;
    if (*written == 0) return leave(event, index);
    const bool again = access.reads && read == written;  // found it closed
    if (again) return;
    const auto look = looks_.find({event.object, raw(event.thread)});
    if (access.reads && read == 0U) return enter(event, index, index);
    if (!access.reads && look != looks_.end()) return enter(event, look->second, index);
    others_.insert(event.object);
  }

  void enter(const Event& event, std::size_t look, std::size_t index) {
    looks_.erase({event.object, raw(event.thread)});
    stays_.push_back({event.object, event.thread, look, index});
  }

  void leave(const Event& event, std::size_t index) {
    const auto own = std::find_if(stays_.rbegin(), stays_.rend(), [&](const Stay& stay) {
      return stay.gate == event.object && stay.thread == event.thread && stay.end == kNever;
    });
    if (own == stays_.rend()) {
      // What it begins with is set by whom it may.
      const bool used = std::any_of(stays_.begin(), stays_.end(),
                                    [&](const Stay& stay) { return stay.gate == event.object; });
      if (used || event.kind == EventKind::signal) others_.insert(event.object);
      return;
    }
    own->end = index;
    opened_.insert(event.object);
  }

  const std::vector<Event>& events_;
  std::vector<Stay> stays_;
  std::map<std::pair<std::uint64_t, std::uint16_t>, std::size_t> looks_;
  std::set<std::uint64_t> semaphores_;
  std::set<std::uint64_t> opened_;
  std::set<std::uint64_t> others_;  // something else happened there
};

bool came_between(const Stay& one, const Stay& other) {
  return one.look < other.taken && other.taken < one.taken;
}

Interference interference(const std::vector<Event>& events, const Stay& one, const Stay& other,
                          const KeptTrace& trace, Symbolizer& symbols) {
  Interference found;
  found.kind = InterferenceKind::kCheckThenAct;
  found.first = access_of(events[one.look], one.look);
  found.middle = access_of(events[other.taken], other.taken);
  found.last = access_of(events[one.taken], one.taken);
  found.object = one.gate;
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({one.look, one.taken});
  const std::vector<std::size_t> a = stacks.calls(one.look);
  const std::vector<std::size_t> b = stacks.calls(one.taken);
  const auto [end, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  found.depth = static_cast<std::size_t>(end - a.begin());
  if (found.depth > 0) found.common = a[found.depth - 1];
  return found;
}

}  // namespace

std::optional<Interference> find_broken_gate(const KeptTrace& trace, const Interference& data,
                                             Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  const Stays stays(events);
  for (const Stay& own : stays.at(data.first.thread, data.first.event)) {
    if (!own.holds(data.last.event) || own.gate == data.object) continue;
    for (const Stay& other : stays.at(data.middle.thread, data.middle.event)) {
      if (other.gate != own.gate || !is_atomic(events[own.taken].kind)) continue;
      if (came_between(own, other)) return interference(events, own, other, trace, symbols);
      if (came_between(other, own)) return interference(events, other, own, trace, symbols);
    }
  }
  return std::nullopt;
}

std::optional<Interference> find_broken_gate(const KeptTrace& trace, Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  const Stays stays(events);
  for (const Stay& one : stays.all()) {
    if (one.end == kNever || !is_atomic(events[one.taken].kind)) continue;
    for (const Stay& other : stays.all()) {
      const bool apart = other.gate != one.gate || other.thread == one.thread;
      if (!apart && other.end != kNever && other.end > one.taken && came_between(one, other))
        return interference(events, one, other, trace, symbols);
    }
  }
  return std::nullopt;
}

std::optional<PassedGate> find_passed_gate(const KeptTrace& given, const Interference& data) {
  const KeptTrace trace = with_semaphores(given);
  const std::vector<Event>& events = trace.all();
  const Stays stays(events);
  for (const Stay& own : stays.at(data.first.thread, data.first.event)) {
    const bool semaphore = events[own.taken].kind == EventKind::await;
    const bool all_along = own.holds(data.last.event);
    for (const Stay& other : stays.all()) {
      if (other.gate != own.gate || other.thread != data.middle.thread) continue;
      if (own.gate == data.object || other.taken > data.middle.event) continue;
      if (semaphore && all_along && other.holds(data.middle.event))
        return PassedGate{own.taken, std::nullopt, other.taken};
      if (!all_along && other.taken > own.end && own.end < data.last.event)
        return PassedGate{own.taken, own.end, other.taken};
    }
  }
  return std::nullopt;
}

}  // namespace raddle
