// Test helper: which unit of work each access belongs to, by definition, with all of the execution
// in view. Written from 004 (sections 3 and 4.1), not from the detector.
//
// A call of a function is a unit on the sets of the object that it was called on, if the function
// is public or protected; and on each set of which it touches a member itself, not through a
// function that it calls. It is a unit from its entry to its exit: what functions that it calls do
// to the set before its own first touch belongs to it, too.
//
// An access belongs to the outermost call on its thread's stack that is a unit on the set of what
// is accessed. A function that is called back by code that is not instrumented begins anew: calls
// further out do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "protocol/event.hpp"

namespace raddle {

struct UnitRules {
  // The set that an address belongs to.
  std::function<std::uint64_t(std::uint64_t address)> set_of;
  // Whether a call (its enter event) is that of a public or protected member function.
  std::function<bool(const Event& enter)> is_member;
  // 004 takes the function that a thread begins with for any other.
  bool entry_units = true;
};

inline constexpr std::size_t kNoUnit = static_cast<std::size_t>(-1);

// For each event the index of the enter event of the unit that it belongs to; kNoUnit for what is
// no access, and for an access outside all units.
inline std::vector<std::size_t> units_of(const std::vector<Event>& events, const UnitRules& rules) {
  const auto accesses = [](const Event& e) { return is_access(e.kind); };
  // The calls around each event, outermost first.
  std::vector<std::vector<std::size_t>> stacks(events.size());
  std::map<ThreadId, std::vector<std::size_t>> now;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::vector<std::size_t>& stack = now[events[i].thread];
    if (events[i].kind == EventKind::enter) stack.push_back(i);
    stacks[i] = stack;
    if (events[i].kind == EventKind::exit && !stack.empty()) stack.pop_back();
  }

  std::map<std::size_t, std::set<std::uint64_t>> on;  // call -> sets that it is a unit on
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool entry = events[i].kind == EventKind::enter && stacks[i].size() == 1;
    if (events[i].kind == EventKind::enter && rules.is_member(events[i]) &&
        (!entry || rules.entry_units))
      on[i].insert(rules.set_of(events[i].object));
    if (accesses(events[i]) && !stacks[i].empty() && (stacks[i].size() > 1 || rules.entry_units))
      on[stacks[i].back()].insert(rules.set_of(events[i].object));
  }

  std::vector<std::size_t> units(events.size(), kNoUnit);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!accesses(events[i])) continue;
    const std::uint64_t set = rules.set_of(events[i].object);
    for (std::size_t depth = stacks[i].size(); depth-- > 0;) {
      const std::size_t call = stacks[i][depth];
      if (on[call].count(set) != 0) units[i] = call;
      if ((events[call].flags & kCallback) != 0) break;
    }
  }
  return units;
}

}  // namespace raddle
