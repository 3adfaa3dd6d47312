#include "host/analysis/atomset/engine.hpp"

#include <algorithm>
#include <utility>

namespace raddle {
namespace {

constexpr std::size_t kFewSets = 1024;  // as many are kept without a unit, to be used again

constexpr unsigned symbol(bool other, bool second, bool write) {
  return symbol_of(PatternAccess{other, second, write});
}

}  // namespace

AtomicSetEngine::AtomicSetEngine(EngineLimits limits, OnMatch on_match)
    : limits_(limits), on_match_(std::move(on_match)) {}

AtomicSetEngine::UnitNumber AtomicSetEngine::open(SetNumber set, ThreadIndex thread,
                                                  const UnitAccess& entered, bool tentative) {
  UnitNumber number = 0;
  if (free_units_.empty()) {
    number = static_cast<UnitNumber>(units_.size());
    units_.emplace_back();
  } else {
    number = free_units_.back();
    free_units_.pop_back();
  }
  Unit& unit = units_[number];
  unit.set = set;
  unit.thread = thread;
  unit.open = true;
  unit.tentative = tentative;
  unit.serial = ++serials_;
  unit.entered = entered;
  if (sets_.size() > most_sets_) {
    sets_.erase_if([](std::uint64_t, const Set& idle) { return idle.open.empty(); });
    most_sets_ = std::max(kFewSets, 2 * sets_.size());
  }
  sets_[set].open.push_back(number);
  if (tap_ != nullptr) tap_->opened(number, set, thread, entered);
  return number;
}

bool AtomicSetEngine::may_meet(SetNumber set, ThreadIndex thread) const {
  if (tap_ != nullptr) return true;
  const Set* known = sets_.find(set);
  if (known == nullptr) return false;
  return std::any_of(known->open.begin(), known->open.end(),
                     [&](UnitNumber other) { return units_[other].thread != thread; });
}

void AtomicSetEngine::access(UnitNumber number, LocationKey location, bool write,
                             const UnitAccess& access) {
  if (tap_ != nullptr) tap_->accessed(number, location, write, access);
  Set& set = *sets_.find(units_[number].set);
  if (set.last != units_[number].thread) {
    set.last = units_[number].thread;
    ++set.turn;
  }
  remember(units_[number], set, location, write, access);
  const Unit& unit = units_[number];
  for (std::uint32_t pair : unit.as_first) update(pairs_[pair], false, location, write);
  for (std::uint32_t pair : unit.as_other) update(pairs_[pair], true, location, write);
  if (std::vector<Kept>* kept = units_[number].kept_at.find(location)) {
    std::erase_if(*kept, [this](const Kept& one) { return !is_there(one); });
    to_collect_.clear();
    for (const Kept& one : *kept) {
      Pair& pair = pairs_[one.pair];
      update(pair, pair.other == number, location, write);
      meet(one.pair, location);
      if (pair.changes == 0) continue;
      forget(pair);
      // Not each time, for a pair that is large.
      if (pair.changes > pair.automata / 4) to_collect_.push_back(one.pair);
    }
    for (std::uint32_t pair : to_collect_) collect(pair);
  }
  if (set.open.size() == 1) return;
  const bool wrote = unit.locations.find(location)->written != 0;
  for (UnitNumber other : set.open) {
    if (units_[other].thread == unit.thread) continue;
    const Location* theirs = units_[other].locations.find(location);
    if (theirs == nullptr || (!wrote && theirs->written == 0)) continue;
    meet(pair_of(other, number), location);
    meet(pair_of(number, other), location);
  }
}

void AtomicSetEngine::remember(Unit& unit, Set& set, LocationKey location, bool write,
                               const UnitAccess& access) {
  if (unit.began == 0) unit.began = access.time;
  Location& at = unit.locations[location];
  (write ? at.written : at.read) = access.time;

  // How many there are of this kind in this turn: two will do.
  std::uint32_t& last = at.last[write];
  int in_turn = 0;
  for (std::uint32_t i = last; i != kNone && in_turn < 2; i = unit.records[i].previous) {
    if (unit.records[i].turn != set.turn) break;
    ++in_turn;
  }
  const bool full = records_ >= limits_.max_accesses;
  if (in_turn < 2 && !full) {
    const auto index = static_cast<std::uint32_t>(unit.records.size());
    unit.records.push_back(Record{access, set.turn, last});
    if (last == kNone) at.first[write] = index;
    last = index;
    ++records_;
  } else if (last != kNone) {
    unit.records[last].access = access;
    unit.records[last].turn = set.turn;
  }
  if (in_turn < 2 && full) ++refused_;
}

void AtomicSetEngine::update(Pair& pair, bool other, LocationKey location, bool write) {
  Node* at = pair.nodes.find(location);
  if (at == nullptr) return;
  const auto step = [&](AutomataBits& bits, bool second, AutomataBits which) {
    const AutomataBits old = bits;
    bits = advance(bits, symbol(other, second, write));
    if (bits == old) return AutomataBits{0};
    ++pair.changes;
    return accepted(bits) & ~accepted(old) & which;
  };
  if (at->summarised) {
    if (const AutomataBits matched = step(at->summary, false, kOneLocation))
      report(pair, location, location, matched);
  }
  for (std::uint32_t i : at->as_first) {
    Tuple& tuple = pair.tuples[i];
    if (const AutomataBits matched = step(tuple.bits, false, kTwoLocations))
      report(pair, tuple.first, tuple.second, matched);
  }
  for (std::uint32_t i : at->as_second) {
    Tuple& tuple = pair.tuples[i];
    if (const AutomataBits matched = step(tuple.bits, true, kTwoLocations))
      report(pair, tuple.first, tuple.second, matched);
  }
}

// Both units may have come to the location by now, one of them writing.
void AtomicSetEngine::meet(std::uint32_t number, LocationKey location) {
  Pair& pair = pairs_[number];
  const Location* first = units_[pair.unit].locations.find(location);
  const Location* other = units_[pair.other].locations.find(location);
  if (first == nullptr || other == nullptr) return;
  const bool wrote = first->written > pair.since;
  if (!wrote && (first->read <= pair.since || other->written == 0)) return;
  if (pair.nodes.find(location) != nullptr || !room(pair)) return;
  Node& node = pair.nodes[location];
  node.summarised = true;
  node.summary = replay(pair, location, location);
  // Not while `node` is in use: tuples are kept at the nodes.
  for (const LocationKey shared : pair.shared) {
    create_tuple(pair, shared, location);
    create_tuple(pair, location, shared);
  }
  pair.shared.push_back(location);
  ++pair.changes;
}

// The automata of the tuple, or of the summary if the locations are equal, after all that is
// remembered.
AutomataBits AtomicSetEngine::replay(const Pair& pair, LocationKey first, LocationKey second) {
  history_.clear();
  const Unit &one = units_[pair.unit], &two = units_[pair.other];
  // Every pattern begins with one access of u, and goes on with one of u'. Of what either did
  // before the other came to the set, the latest of each kind stands for all.
  const std::uint64_t both_since = std::max(one.began, two.began);
  const auto add = [&](const Unit& unit, bool other, LocationKey location, bool is_second) {
    const Location* at = unit.locations.find(location);
    for (const bool write : {false, true}) {
      for (std::uint32_t i = at->last[write]; i != kNone; i = unit.records[i].previous) {
        const std::uint64_t time = unit.records[i].access.time;
        if (!other && time <= pair.since) break;
        history_.emplace_back(time, symbol(other, is_second, write));
        if (time < both_since) break;
      }
    }
  };
  for (const bool other : {false, true}) {
    const Unit& unit = other ? two : one;
    add(unit, other, first, false);
    if (first != second) add(unit, other, second, true);
  }
  std::sort(history_.begin(), history_.end());
  AutomataBits bits = 0;
  for (const auto& [time, access] : history_) bits = advance(bits, access);
  return bits;
}

void AtomicSetEngine::create_tuple(Pair& pair, LocationKey first, LocationKey second) {
  const AutomataBits bits = replay(pair, first, second);
  if (const AutomataBits matched = accepted(bits) & kTwoLocations)
    report(pair, first, second, matched);
  if (!units_[pair.unit].open && !can_end_without_first(bits, kTwoLocations)) return;
  if (!units_[pair.other].open && !can_end_without_other(bits, kTwoLocations)) return;
  if (!room(pair)) return;
  const auto number = static_cast<std::uint32_t>(pair.tuples.size());
  pair.tuples.push_back(Tuple{first, second, bits});
  pair.nodes[first].as_first.push_back(number);
  pair.nodes[second].as_second.push_back(number);
}

std::uint32_t AtomicSetEngine::pair_of(UnitNumber first, UnitNumber other) {
  for (std::uint32_t number : units_[other].as_other)
    if (pairs_[number].unit == first) return number;
  std::uint32_t number = 0;
  if (free_pairs_.empty()) {
    number = static_cast<std::uint32_t>(pairs_.size());
    pairs_.emplace_back();
  } else {
    number = free_pairs_.back();
    free_pairs_.pop_back();
  }
  Pair& pair = pairs_[number];
  pair.unit = first;
  pair.other = other;
  pair.serial = ++pair_serials_;
  pair.since = created_at_ ? created_at_(units_[first].thread, units_[other].thread) : 0;
  units_[first].as_first.push_back(number);
  units_[other].as_other.push_back(number);
  return number;
}

bool AtomicSetEngine::room(Pair& pair) {
  if (automata_ >= limits_.max_automata) {
    ++refused_;
    return false;
  }
  ++pair.automata;
  peak_ = std::max(peak_, ++automata_);
  return true;
}

void AtomicSetEngine::widen(UnitNumber number, const UnitAccess& entered) {
  units_[number].entered = entered;
  if (tap_ != nullptr) tap_->widened(number, entered);
}

// The earliest access of the kind after a time that is remembered.
bool AtomicSetEngine::find(const Unit& unit, LocationKey location, bool write, std::uint64_t after,
                           UnitAccess& found) const {
  const Location* at = unit.locations.find(location);
  if (at == nullptr) return false;
  if (at->last[write] == kNone) return false;
  const UnitAccess& first = unit.records[at->first[write]].access;
  if (first.time > after) {
    found = first;
    return true;
  }
  bool any = false;
  for (std::uint32_t i = at->last[write]; unit.records[i].access.time > after;
       i = unit.records[i].previous) {
    found = unit.records[i].access;
    any = true;
  }
  return any;
}

void AtomicSetEngine::report(const Pair& pair, LocationKey first, LocationKey second,
                             AutomataBits matched) {
  for (const Pattern& pattern : patterns()) {
    if ((matched >> (3 * (pattern.number - 1)) & 1) == 0) continue;
    AtomicSetMatch match;
    match.set = units_[pair.unit].set;
    match.pattern = pattern.number;
    match.first = first;
    match.second = second;
    match.unit = units_[pair.unit].entered;
    match.other = units_[pair.other].entered;
    std::uint64_t after = pair.since;
    for (int i = 0; i < pattern.length; ++i) {
      const PatternAccess& wanted = pattern.accesses[static_cast<std::size_t>(i)];
      UnitAccess found;
      if (!find(units_[wanted.other ? pair.other : pair.unit], wanted.second ? second : first,
                wanted.write, after, found))
        continue;
      after = found.time;
      match.accesses.push_back(found);
    }
    if (!units_[pair.unit].tentative && !units_[pair.other].tentative)
      on_match_(match);
    else
      await_units(pair, std::move(match));
  }
}

}  // namespace raddle
