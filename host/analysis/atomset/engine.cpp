#include "host/analysis/atomset/engine.hpp"

#include <algorithm>
#include <utility>

namespace raddle {
namespace {

constexpr std::size_t kFewSets = 1024;  // as many are kept without a unit, to be used again

constexpr unsigned symbol(bool other, bool second, bool write) {
  return symbol_of(PatternAccess{other, second, write});
}

void remove(std::vector<std::uint32_t>& from, std::uint32_t what) {
  from.erase(std::remove(from.begin(), from.end(), what), from.end());
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
  for (std::uint32_t pair : unit.as_first) {
    update(pair, false, location, write);
    if (!units_[pairs_[pair].other].open) meet(pair, location);
  }
  for (std::uint32_t pair : unit.as_other) {
    update(pair, true, location, write);
    if (!units_[pairs_[pair].unit].open) meet(pair, location);
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
  Location& at = unit.locations[location];
  (write ? at.written : at.read) = access.time;

  // The latest record of this kind, and how many there are in this turn.
  std::uint32_t latest = kNone;
  int in_turn = 0;
  for (std::uint32_t i = at.last; i != kNone; i = unit.records[i].previous) {
    const Record& record = unit.records[i];
    if (record.write != write) {
      if (record.turn != set.turn && latest != kNone) break;
      continue;
    }
    if (latest == kNone) latest = i;
    if (record.turn != set.turn) break;
    ++in_turn;
  }
  const bool full = records_ >= limits_.max_accesses;
  if (in_turn < 2 && !full) {
    const auto index = static_cast<std::uint32_t>(unit.records.size());
    unit.records.push_back(Record{access, set.turn, at.last, write});
    at.last = index;
    ++records_;
  } else if (latest != kNone) {
    unit.records[latest].access = access;
    unit.records[latest].turn = set.turn;
  }
  if (in_turn < 2 && full) ++refused_;
}

void AtomicSetEngine::update(std::uint32_t number, bool other, LocationKey location, bool write) {
  Pair& pair = pairs_[number];
  Node* at = pair.nodes.find(location);
  if (at == nullptr) return;
  const auto step = [&](AutomataBits& bits, bool second, AutomataBits which) {
    const AutomataBits old = bits;
    bits = advance(bits, symbol(other, second, write));
    return bits == old ? 0 : accepted(bits) & ~accepted(old) & which;
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
}

// The automata of the tuple, or of the summary if the locations are equal, after all that is
// remembered.
AutomataBits AtomicSetEngine::replay(const Pair& pair, LocationKey first, LocationKey second) {
  history_.clear();
  const auto add = [&](const Unit& unit, bool other, LocationKey location, bool is_second) {
    const Location* at = unit.locations.find(location);
    for (std::uint32_t i = at->last; i != kNone; i = unit.records[i].previous) {
      const Record& record = unit.records[i];
      if (other || record.access.time > pair.since)
        history_.emplace_back(record.access.time, symbol(other, is_second, record.write));
    }
  };
  for (const bool other : {false, true}) {
    const Unit& unit = units_[other ? pair.other : pair.unit];
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

void AtomicSetEngine::close(UnitNumber number) {
  if (tap_ != nullptr) tap_->closed(number);
  Unit& unit = units_[number];
  unit.open = false;
  Set& set = *sets_.find(unit.set);
  remove(set.open, number);
  // prune() and drop() change the lists.
  const std::vector<std::uint32_t> as_first = unit.as_first;
  const std::vector<std::uint32_t> as_other = unit.as_other;
  for (std::uint32_t pair : as_first) prune(pair, true);
  for (std::uint32_t pair : as_other) prune(pair, false);
  if (unit.as_first.empty() && unit.as_other.empty()) recycle(number);
}

void AtomicSetEngine::settle(UnitNumber number) {
  units_[number].tentative = false;
  std::vector<AtomicSetMatch> ready;
  std::erase_if(waiting_, [&](Waiting& waiting) {
    for (std::uint64_t& unit : waiting.for_units)
      if (unit == units_[number].serial) unit = 0;
    if (waiting.for_units[0] != 0 || waiting.for_units[1] != 0) return false;
    ready.push_back(std::move(waiting.match));
    return true;
  });
  for (const AtomicSetMatch& match : ready) on_match_(match);
}

void AtomicSetEngine::discard(UnitNumber number) {
  if (tap_ != nullptr) tap_->discarded(number);
  std::erase_if(waiting_, [serial = units_[number].serial](const Waiting& waiting) {
    return waiting.for_units[0] == serial || waiting.for_units[1] == serial;
  });
  Unit& unit = units_[number];
  unit.open = false;
  unit.tentative = false;
  remove(sets_.find(unit.set)->open, number);
  std::vector<std::uint32_t> pairs = unit.as_first;
  pairs.insert(pairs.end(), unit.as_other.begin(), unit.as_other.end());
  for (const std::uint32_t pair : pairs) {
    automata_ -= std::exchange(pairs_[pair].automata, 0);
    drop(pair);
  }
  if (pairs.empty()) recycle(number);
}

void AtomicSetEngine::prune(std::uint32_t number, bool first_ended) {
  Pair& pair = pairs_[number];
  const auto can_end = [&](AutomataBits bits, AutomataBits which) {
    return first_ended ? can_end_without_first(bits, which) : can_end_without_other(bits, which);
  };
  automata_ -= std::exchange(pair.automata, 0);
  if (!units_[pair.unit].open && !units_[pair.other].open) return drop(number);
  const std::vector<Tuple> tuples = std::exchange(pair.tuples, {});
  bool alive = false;
  for (const LocationKey location : pair.shared) {
    Node& node = *pair.nodes.find(location);
    node.as_first.clear();
    node.as_second.clear();
    node.summarised = node.summarised && can_end(node.summary, kOneLocation);
    alive = alive || node.summarised;
    pair.automata += 1;
  }
  for (const Tuple& tuple : tuples) {
    if (!can_end(tuple.bits, kTwoLocations)) continue;
    const auto index = static_cast<std::uint32_t>(pair.tuples.size());
    pair.tuples.push_back(tuple);
    pair.nodes.find(tuple.first)->as_first.push_back(index);
    pair.nodes.find(tuple.second)->as_second.push_back(index);
  }
  pair.automata += pair.tuples.size();
  automata_ += pair.automata;
  // The other one may still come to where this one was.
  const Unit& ended = units_[first_ended ? pair.unit : pair.other];
  const bool may_meet = ended.locations.size() > pair.shared.size() && !pair.shared.empty();
  if (alive || may_meet || !pair.tuples.empty()) return;
  automata_ -= std::exchange(pair.automata, 0);
  drop(number);
}

void AtomicSetEngine::drop(std::uint32_t number) {
  Pair& pair = pairs_[number];
  pair.nodes.clear();
  pair.shared.clear();
  pair.tuples.clear();
  for (const UnitNumber unit : {pair.unit, pair.other}) {
    remove(units_[unit].as_first, number);
    remove(units_[unit].as_other, number);
    if (!units_[unit].open && units_[unit].as_first.empty() && units_[unit].as_other.empty())
      recycle(unit);
  }
  free_pairs_.push_back(number);
}

void AtomicSetEngine::recycle(UnitNumber number) {
  Unit& unit = units_[number];
  if (unit.set == kNone) return;
  unit.set = kNone;
  records_ -= unit.records.size();
  unit.locations.clear();
  unit.records.clear();
  free_units_.push_back(number);
}

// The earliest access of the kind after a time that is remembered.
bool AtomicSetEngine::find(const Unit& unit, LocationKey location, bool write, std::uint64_t after,
                           UnitAccess& found) const {
  const Location* at = unit.locations.find(location);
  if (at == nullptr) return false;
  bool any = false;
  for (std::uint32_t i = at->last; i != kNone; i = unit.records[i].previous) {
    const Record& record = unit.records[i];
    if (record.write != write || record.access.time <= after) continue;
    if (any && found.time <= record.access.time) continue;
    found = record.access;
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
    const Unit &unit = units_[pair.unit], &other = units_[pair.other];
    if (!unit.tentative && !other.tentative)
      on_match_(match);
    else if (waiting_.size() < kMostWaiting)
      waiting_.push_back({{unit.tentative ? unit.serial : 0, other.tentative ? other.serial : 0},
                          std::move(match)});
    else
      ++refused_;
  }
}

}  // namespace raddle
