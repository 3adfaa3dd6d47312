// An event can happen once the conditions of all orderings that bind it can hold. From the events
// that nothing binds this grows to a fixed point; what is left outside needs something that is left
// outside, so following the needs leads round a cycle.
#include "prevent/schedule/cycles.hpp"

#include <algorithm>

namespace raddle::schedule {
namespace {

// Why one event comes after another.
struct Need {
  EventRef event;
  std::string because;
};

// What binds the first a of all binds the second, and the first of each thread, too.
bool binds(const EventRef& target, const EventRef& event) {
  return target.name == event.name && (target.thread.empty() || target.thread == event.thread) &&
         (target.every ? 1 : target.number) <= (event.every ? 1 : event.number);
}

class Search {
 public:
  explicit Search(const std::vector<NamedSyntax>& schedules) : schedules_(schedules) {
    for (const NamedSyntax& schedule : schedules_) {
      for (const Ordering& ordering : schedule.syntax->orderings) {
        for_each_event(ordering.condition, [&](const EventRef& event) { add(event); });
        add(ordering.target);
        collect_certain(ordering.condition);
        certain_.push_back(ordering.target);
      }
    }
  }

  std::string run() {
    bool grew = true;
    while (grew) {
      grew = false;
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (possible_[i] || !need(events_[i]).event.name.empty()) continue;
        possible_[i] = grew = true;
      }
    }
    const auto first = std::find(possible_.begin(), possible_.end(), false);
    if (first == possible_.end()) return "";
    return cycle(events_[std::size_t(first - possible_.begin())]);
  }

 private:
  static bool same(const EventRef& a, const EventRef& b) {
    return same_event(a, b) && (a.every ? 1 : a.number) == (b.every ? 1 : b.number);
  }
  std::size_t index(const EventRef& event) const {
    std::size_t i = 0;
    while (i < events_.size() && !same(events_[i], event)) ++i;
    return i;
  }
  void add(const EventRef& event) {
    if (index(event) < events_.size()) return;
    events_.push_back(event);
    possible_.push_back(false);
  }
  void collect_certain(const Condition& condition) {
    if (condition.kind == Condition::Kind::either) return;
    if (condition.parts.empty()) certain_.push_back(condition.event);
    for (const Condition& part : condition.parts) collect_certain(part);
  }

  bool possible(const EventRef& event) const { return possible_[index(event)]; }
  bool possible(const Condition& condition) const {
    const auto part_possible = [&](const Condition& part) { return possible(part); };
    if (condition.parts.empty()) return possible(condition.event);
    return condition.kind == Condition::Kind::both
               ? std::all_of(condition.parts.begin(), condition.parts.end(), part_possible)
               : std::any_of(condition.parts.begin(), condition.parts.end(), part_possible);
  }

  // Something that has to come before the event and is not known to be possible; without a name if
  // there is nothing.
  Need need(const EventRef& event) const {
    for (const NamedSyntax& schedule : schedules_) {
      for (const Ordering& ordering : schedule.syntax->orderings) {
        if (!binds(ordering.target, event) || possible(ordering.condition)) continue;
        const EventRef* missing = nullptr;
        for_each_event(ordering.condition, [&](const EventRef& leaf) {
          if (missing == nullptr && !possible(leaf)) missing = &leaf;
        });
        return {*missing, "`" + ordering.text() + "`" +
                              (schedules_.size() > 1 ? " of " + schedule.title : "")};
      }
    }
    if (event.name == "end") {
      for (const EventRef& other : certain_)
        if (other.thread == event.thread && other.name != "end" && !possible(other))
          return {other, "the thread has no events after its end"};
    } else if (!event.thread.empty() && event.name != "start") {
      const EventRef start{"start", event.thread};
      if (index(start) < events_.size() && !possible(start))
        return {start, "the thread has no events before its start"};
    }
    return {};
  }

  std::string cycle(EventRef event) const {
    std::vector<EventRef> path;
    std::vector<std::string> lines;
    const auto seen = [&] {
      return std::find_if(path.begin(), path.end(),
                          [&](const EventRef& other) { return same(other, event); });
    };
    while (seen() == path.end()) {
      path.push_back(event);
      const Need next = need(event);
      lines.push_back("  `" + event.text() + "` waits for `" + next.event.text() +
                      "`: " + next.because);
      event = next.event;
    }
    std::string out;
    for (std::size_t i = std::size_t(seen() - path.begin()); i < lines.size(); ++i)
      out += "\n" + lines[i];
    return out.substr(1);
  }

  const std::vector<NamedSyntax>& schedules_;
  std::vector<EventRef> events_;
  std::vector<bool> possible_;
  std::vector<EventRef> certain_;  // named outside any `||`
};

}  // namespace

std::string find_cycle(const std::vector<NamedSyntax>& schedules) {
  return Search(schedules).run();
}

}  // namespace raddle::schedule
