#include "prevent/schedule/testing/oracle.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace raddle::schedule {
namespace {

using Position = std::size_t;

bool matches(const Item& item, const EventRef& event) {
  return item.name == event.name && (event.thread.empty() || item.thread == event.thread);
}

// Positions below `end` at which the event happens.
std::vector<Position> positions(const Trace& trace, const EventRef& event, Position end) {
  std::vector<Position> out;
  for (Position i = 0; i < end; ++i)
    if (matches(trace[i], event)) out.push_back(i);
  return out;
}

// [t] at position i: a block@t with no unblock@t after it.
bool blocked(const Trace& trace, const std::string& thread, Position i) {
  for (Position j = i; j-- > 0;) {
    if (trace[j].thread != thread) continue;
    if (trace[j].name == "block") return true;
    if (trace[j].name == "unblock") return false;
  }
  return false;
}

// The condition when the target happens at i and last happened at `before` (-1: never, or it does
// not matter). An event means that it has occurred: taken literally, the definition asks two
// different events to be the last one at once, so that no conjunction could hold.
bool holds(const Trace& trace, const Condition& condition, Position i, long before) {
  const auto part = [&](const Condition& inner) { return holds(trace, inner, i, before); };
  if (condition.kind == Condition::Kind::both)
    return std::all_of(condition.parts.begin(), condition.parts.end(), part);
  if (condition.kind == Condition::Kind::either)
    return std::any_of(condition.parts.begin(), condition.parts.end(), part);
  const EventRef& event = condition.event;
  const std::vector<Position> at = positions(trace, event, i);
  if (event.every ? at.empty() || long(at.back()) <= before : at.size() < event.number)
    return false;
  const Position which = event.every ? at.back() : at[event.number - 1];
  return condition.kind == Condition::Kind::event || blocked(trace, trace[which].thread, i);
}

bool satisfies(const Trace& trace, const Ordering& ordering) {
  const std::vector<Position> at = positions(trace, ordering.target, trace.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const bool due = ordering.target.every || k + 1 == ordering.target.number;
    const long before = ordering.target.every && k > 0 ? long(at[k - 1]) : -1;
    if (due && !holds(trace, ordering.condition, at[k], before)) return false;
  }
  return true;
}

// From each begin to its end: an end belongs to the earliest begin that has none.
std::vector<std::pair<Position, Position>> intervals(const Trace& trace, const Section& section) {
  constexpr Position kOpen = std::numeric_limits<Position>::max();
  std::vector<std::pair<Position, Position>> out;
  for (Position i = 0; i < trace.size(); ++i) {
    if (matches(trace[i], section.begin)) {
      out.emplace_back(i, kOpen);
    } else if (matches(trace[i], section.end)) {
      for (auto& interval : out) {
        if (interval.second != kOpen) continue;
        interval.second = i;
        break;
      }
    }
  }
  return out;
}

bool satisfies(const Trace& trace, const Exclusion& exclusion) {
  const auto first = intervals(trace, exclusion.first);
  const auto second = intervals(trace, exclusion.second);
  const bool same = exclusion.first.text() == exclusion.second.text();
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t k = 0; k < second.size(); ++k) {
      if (same && i == k) continue;
      if (first[i].first < second[k].second && second[k].first < first[i].second) return false;
    }
  }
  return true;
}

}  // namespace

bool satisfies(const Trace& trace, const Syntax& syntax) {
  for (const Ordering& ordering : syntax.orderings)
    if (!satisfies(trace, ordering)) return false;
  for (const Exclusion& exclusion : syntax.exclusions)
    if (!satisfies(trace, exclusion)) return false;
  return true;
}

std::string text_of(const Trace& trace) {
  std::string out;
  for (const Item& item : trace) out += (out.empty() ? "" : " ") + item.name + "@" + item.thread;
  return out;
}

}  // namespace raddle::schedule
