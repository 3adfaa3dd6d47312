#include "analysis/atomset/engine.hpp"

#include <algorithm>
#include <utility>

namespace raddle {
namespace {

constexpr std::size_t kIdleSets = 65536;  // kept without a unit, to be used again

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
                                                  const UnitAccess& entered) {
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
  unit.forked = 0;
  unit.entered = entered;
  if (sets_.size() > kIdleSets)
    sets_.erase_if([](std::uint64_t, const Set& idle) { return idle.open.empty(); });
  sets_[set].open.push_back(number);
  return number;
}

void AtomicSetEngine::access(UnitNumber number, LocationKey location, bool write,
                             const UnitAccess& access) {
  Set& set = *sets_.find(units_[number].set);
  if (set.last != number) {
    set.last = number;
    ++set.turn;
  }
  remember(units_[number], set, location, write, access);
  for (std::uint32_t pair : units_[number].as_first) update(pair, false, location, write);
  for (std::uint32_t pair : units_[number].as_other) update(pair, true, location, write);
  if (set.open.size() == 1) return;
  for (UnitNumber first : set.open)
    if (units_[first].thread != units_[number].thread) create(first, number, location, write);
}

void AtomicSetEngine::remember(Unit& unit, Set& set, LocationKey location, bool write,
                               const UnitAccess& access) {
  Location& at = unit.locations[location];
  std::uint64_t& last = write ? at.written : at.read;
  if (last == 0 || last <= unit.forked) (write ? unit.writes : unit.reads).push_back(location);
  last = access.time;

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

// An access of u' (`other`), as far as it tells tuples with u (`first`) apart from their summaries.
void AtomicSetEngine::create(UnitNumber first, UnitNumber other, LocationKey location, bool write) {
  const Unit& unit = units_[first];
  const Location* same = unit.locations.find(location);
  const bool conflicts = same != nullptr && (same->written != 0 || (write && same->read != 0));
  if (!conflicts && unit.writes.empty() && (!write || unit.reads.empty())) return;

  Pair& pair = pairs_[pair_of(first, other)];
  if (conflicts && !node(pair, location).summarised) {
    const AutomataBits old = before(pair, location);
    const AutomataBits bits = advance(old, symbol(true, false, write));
    if (bits != old && room(pair)) {
      Node& at = node(pair, location);
      at.summarised = true;
      at.summary = bits;
    }
  }
  // Every access of u that u' meets here for the first time by this kind of access.
  Node& at = node(pair, location);
  std::uint32_t& writes = write ? at.writes_met_by_write : at.writes_met_by_read;
  const std::uint32_t writes_from = std::exchange(writes, std::uint32_t(unit.writes.size()));
  const std::uint32_t reads_from =
      write ? std::exchange(at.reads_met_by_write, std::uint32_t(unit.reads.size())) : 0;
  if (automata_ >= limits_.max_automata) {  // spares the time too, not only the memory
    refused_ += unit.writes.size() - writes_from + (write ? unit.reads.size() - reads_from : 0);
    return;
  }
  for (std::size_t i = writes_from; i < unit.writes.size(); ++i)
    create_tuple(pair, unit.writes[i], location, write);
  if (!write) return;
  for (std::size_t i = reads_from; i < unit.reads.size(); ++i)
    create_tuple(pair, unit.reads[i], location, write);
}

void AtomicSetEngine::create_tuple(Pair& pair, LocationKey first, LocationKey second, bool write) {
  if (first == second) return;
  const AutomataBits old = before(pair, first);
  const AutomataBits bits = advance(old, symbol(true, true, write));
  if (bits == old) return;
  const std::uint64_t ids = std::uint64_t(node(pair, first).id) << 32 | node(pair, second).id;
  if (pair.index.find(ids) != nullptr || !room(pair)) return;
  const auto number = static_cast<std::uint32_t>(pair.tuples.size());
  pair.index[ids] = number;
  pair.tuples.push_back(Tuple{first, second, bits});
  node(pair, first).as_first.push_back(number);
  node(pair, second).as_second.push_back(number);
}

// Figure 5's Bits(u, u', l, *), or Bits(u, *, l, *) where that stands for it.
AutomataBits AtomicSetEngine::before(const Pair& pair, LocationKey location) const {
  const Node* at = pair.nodes.find(location);
  if (at != nullptr && at->summarised) return at->summary;
  const Location* did = units_[pair.unit].locations.find(location);
  AutomataBits bits = 0;
  if (did == nullptr) return bits;
  if (did->read > pair.since) bits = advance(bits, symbol(false, false, false));
  if (did->written > pair.since) bits = advance(bits, symbol(false, false, true));
  return bits;
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

AtomicSetEngine::Node& AtomicSetEngine::node(Pair& pair, LocationKey location) {
  Node& at = pair.nodes[location];
  if (at.id == kNone) at.id = static_cast<std::uint32_t>(pair.nodes.size());
  return at;
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

void AtomicSetEngine::close(UnitNumber number) {
  Unit& unit = units_[number];
  unit.open = false;
  Set& set = *sets_.find(unit.set);
  remove(set.open, number);
  if (set.last == number) set.last = kNone;  // its number may be used again
  // prune() and drop() change the lists.
  const std::vector<std::uint32_t> as_first = unit.as_first;
  const std::vector<std::uint32_t> as_other = unit.as_other;
  for (std::uint32_t pair : as_first) prune(pair, true);
  for (std::uint32_t pair : as_other) prune(pair, false);
  if (unit.as_first.empty() && unit.as_other.empty()) recycle(number);
}

void AtomicSetEngine::prune(std::uint32_t number, bool first_ended) {
  Pair& pair = pairs_[number];
  std::vector<Tuple> tuples;
  std::vector<std::pair<LocationKey, AutomataBits>> summaries;
  if (units_[pair.unit].open || units_[pair.other].open) {
    for (const Tuple& tuple : pair.tuples)
      if (first_ended ? can_end_without_first(tuple.bits, kTwoLocations)
                      : can_end_without_other(tuple.bits, kTwoLocations))
        tuples.push_back(tuple);
    pair.nodes.for_each([&](LocationKey location, const Node& at) {
      if (at.summarised && (first_ended ? can_end_without_first(at.summary, kOneLocation)
                                        : can_end_without_other(at.summary, kOneLocation)))
        summaries.emplace_back(location, at.summary);
    });
  }
  automata_ -= std::exchange(pair.automata, 0);
  pair.nodes.clear();
  pair.index.clear();
  pair.tuples.clear();
  if (tuples.empty() && summaries.empty()) {
    drop(number);
    return;
  }
  pair.automata = tuples.size() + summaries.size();
  automata_ += pair.automata;
  for (const auto& [location, bits] : summaries) {
    node(pair, location).summarised = true;
    node(pair, location).summary = bits;
  }
  for (const Tuple& tuple : tuples) {
    const auto index = static_cast<std::uint32_t>(pair.tuples.size());
    pair.tuples.push_back(tuple);
    node(pair, tuple.first).as_first.push_back(index);
    node(pair, tuple.second).as_second.push_back(index);
  }
}

void AtomicSetEngine::drop(std::uint32_t number) {
  Pair& pair = pairs_[number];
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
  unit.reads.clear();
  unit.writes.clear();
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
    on_match_(match);
  }
}

}  // namespace raddle
