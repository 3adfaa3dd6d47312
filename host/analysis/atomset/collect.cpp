// How the engine's units end, and what is kept of them as long as others go on.
#include <algorithm>
#include <tuple>
#include <utility>

#include "host/analysis/atomset/engine.hpp"

namespace raddle {
namespace {

void remove(std::vector<std::uint32_t>& from, std::uint32_t what) {
  from.erase(std::remove(from.begin(), from.end(), what), from.end());
}

}  // namespace

void AtomicSetEngine::close(UnitNumber number) {
  if (tap_ != nullptr) tap_->closed(number);
  Unit& unit = units_[number];
  unit.open = false;
  Set& set = *sets_.find(unit.set);
  remove(set.open, number);
  for (std::uint32_t pair : pairs_of(unit)) collect(pair);
  if (unit.as_first.empty() && unit.as_other.empty()) recycle(number);
}

void AtomicSetEngine::settle(UnitNumber number) {
  Unit& unit = units_[number];
  unit.tentative = false;
  if (!std::exchange(unit.awaited, false)) return;
  std::vector<AtomicSetMatch> ready;
  std::erase_if(waiting_, [&](Waiting& waiting) {
    for (std::uint64_t& awaited : waiting.for_units)
      if (awaited == unit.serial) awaited = 0;
    if (waiting.for_units[0] != 0 || waiting.for_units[1] != 0) return false;
    waiting_places_.erase(waiting.place);
    ready.push_back(std::move(waiting.match));
    return true;
  });
  for (const AtomicSetMatch& match : ready) on_match_(match);
}

void AtomicSetEngine::discard(UnitNumber number) {
  if (tap_ != nullptr) tap_->discarded(number);
  Unit& unit = units_[number];
  if (std::exchange(unit.awaited, false))
    std::erase_if(waiting_, [&](const Waiting& waiting) {
      if (waiting.for_units[0] != unit.serial && waiting.for_units[1] != unit.serial) return false;
      waiting_places_.erase(waiting.place);
      return true;
    });
  unit.open = false;
  unit.tentative = false;
  remove(sets_.find(unit.set)->open, number);
  const std::vector<std::uint32_t> pairs = pairs_of(unit);
  for (const std::uint32_t pair : pairs) drop(pair);
  if (pairs.empty()) recycle(number);
}

// A match at the same places waits already for the same units: one will do.
void AtomicSetEngine::await_units(const Pair& pair, AtomicSetMatch match) {
  Waiting waiting;
  std::uint64_t place = mix(std::uint64_t(match.pattern), match.first);
  place = mix(place, match.second);
  for (const UnitAccess* entered : {&match.unit, &match.other})
    place = mix(place, raw(entered->point));
  for (const UnitAccess& access : match.accesses) place = mix(place, raw(access.point));
  for (const int i : {0, 1}) {
    Unit& unit = units_[i == 0 ? pair.unit : pair.other];
    if (unit.tentative) waiting.for_units[i] = unit.serial;
    place = mix(place, waiting.for_units[i]);
  }
  if (waiting_places_.find(place) != nullptr) return;
  if (waiting_.size() >= kMostWaiting) {
    ++refused_;
    return;
  }
  for (const UnitNumber unit : {pair.unit, pair.other})
    if (units_[unit].tentative) units_[unit].awaited = true;
  waiting_places_[place] = true;
  waiting.place = place;
  waiting.match = std::move(match);
  waiting_.push_back(std::move(waiting));
}

// A unit of the pair has ended: takes out what can no longer reach its end, and the pair if nothing
// is left, or nothing that another pair has not.
void AtomicSetEngine::collect(std::uint32_t number) {
  Pair& pair = pairs_[number];
  const bool first_ended = !units_[pair.unit].open;
  if (first_ended && !units_[pair.other].open) return drop(number);
  const auto can_end = [&](AutomataBits bits, AutomataBits which) {
    return first_ended ? can_end_without_first(bits, which) : can_end_without_other(bits, which);
  };
  forget(pair);
  pair.changes = 0;
  automata_ -= std::exchange(pair.automata, 0);
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
  if (!alive && !may_meet && pair.tuples.empty()) return drop(number);
  const std::uint64_t what = signature(pair);
  if (kept_.find(what) != nullptr) return drop(number);
  kept_[what] = true;
  pair.signature = what;
  if (pair.keeper == kNone) keep(number);
}

// A copy: who goes through it ends pairs.
std::vector<std::uint32_t> AtomicSetEngine::pairs_of(const Unit& unit) const {
  std::vector<std::uint32_t> all = unit.as_first;
  all.insert(all.end(), unit.as_other.begin(), unit.as_other.end());
  for (const Kept& one : unit.kept)
    if (is_there(one)) all.push_back(one.pair);
  return all;
}

// One of the units has ended: the other has the pair by location now.
void AtomicSetEngine::keep(std::uint32_t number) {
  Pair& pair = pairs_[number];
  const bool first_ended = !units_[pair.unit].open;
  pair.keeper = first_ended ? pair.other : pair.unit;
  Unit& keeper = units_[pair.keeper];
  remove(first_ended ? keeper.as_other : keeper.as_first, number);
  const Kept one{number, pair.serial};
  keeper.kept.push_back(one);
  ++keeper.kept_alive;
  units_[first_ended ? pair.unit : pair.other].locations.for_each(
      [&](LocationKey location, const Location&) { keeper.kept_at[location].push_back(one); });
}

// Takes pairs out of the lists that have gone, once those are most.
void AtomicSetEngine::tidy(Unit& keeper) {
  constexpr std::size_t kFew = 64;
  if (keeper.kept.size() < 2 * keeper.kept_alive + kFew) return;
  const auto gone = [this](const Kept& one) { return !is_there(one); };
  std::erase_if(keeper.kept, gone);
  keeper.kept_at.erase_if([&](LocationKey, std::vector<Kept>& at) {
    std::erase_if(at, gone);
    return at.empty();
  });
}

// It is not what it was when it was kept.
void AtomicSetEngine::forget(Pair& pair) {
  if (const std::uint64_t was = std::exchange(pair.signature, 0)) kept_.erase(was);
}

// All that decides which matches the pair can still have, and at which places: what the ended unit
// did; where the open one came in between, which decides tuples that are yet to be made; and the
// automata that are left.
std::uint64_t AtomicSetEngine::signature(const Pair& pair) {
  const bool first_ended = !units_[pair.unit].open;
  const Unit& ended = units_[first_ended ? pair.unit : pair.other];
  const Unit& open = units_[first_ended ? pair.other : pair.unit];
  const std::uint64_t ended_since = first_ended ? pair.since : 0;
  did_.clear();
  ended.locations.for_each([&](LocationKey location, const Location& at) {
    for (const bool write : {false, true})
      for (std::uint32_t i = at.last[write]; i != kNone; i = ended.records[i].previous) {
        const UnitAccess& access = ended.records[i].access;
        if (access.time <= ended_since) break;
        did_.push_back({access.time, location, write, access.point});
      }
  });
  std::sort(did_.begin(), did_.end(), [](const Did& a, const Did& b) {
    return std::tie(a.time, a.location, a.write) < std::tie(b.time, b.location, b.write);
  });
  std::uint64_t mixed = mix(open.serial, std::uint64_t(first_ended));
  mixed = mix(mixed, raw(ended.entered.point));
  mixed = mix(mixed, std::uint64_t(ended.entered.origin));
  for (const Did& did : did_)
    mixed = mix(mix(mixed, did.location), std::uint64_t(raw(did.point)) << 1 | did.write);

  // In the order of the accesses, since that of a map is chance.
  for (const Did& did : did_) {
    sign_gaps(open, did.location, first_ended ? 0 : pair.since, mixed);
    const Node* node = pair.nodes.find(did.location);
    mixed = mix(mixed, node == nullptr ? 1 : node->summarised ? 2 + node->summary : 0);
  }
  // Tuples come in the order in which their locations were met: a sum does not depend on it.
  std::uint64_t tuples = 0;
  for (const Tuple& tuple : pair.tuples)
    tuples += mix(mix(mix(tuple.first), tuple.second), tuple.bits);
  mixed = mix(mixed, tuples);
  return mixed == 0 ? 1 : mixed;
}

// Between which accesses of `did_` the open unit was at the location, and there where first. What
// it did after all of them is to come, or in the automata; of what it did before them, only that it
// did it counts.
void AtomicSetEngine::sign_gaps(const Unit& open, LocationKey location, std::uint64_t since,
                                std::uint64_t& mixed) {
  const Location* at = open.locations.find(location);
  if (at == nullptr || did_.empty()) return;
  for (const bool write : {false, true}) {
    for (std::uint32_t i = at->last[write]; i != kNone; i = open.records[i].previous) {
      const UnitAccess& access = open.records[i].access;
      if (access.time <= since) break;
      if (access.time > did_.back().time) continue;
      const auto next =
          std::upper_bound(did_.begin(), did_.end(), access.time,
                           [](std::uint64_t time, const Did& did) { return time < did.time; });
      mixed = mix(mixed, std::uint64_t(next - did_.begin()) << 1 | write);
      if (next == did_.begin()) break;
      mixed = mix(mixed, raw(access.point));
    }
  }
}

void AtomicSetEngine::drop(std::uint32_t number) {
  Pair& pair = pairs_[number];
  forget(pair);
  automata_ -= std::exchange(pair.automata, 0);
  pair.changes = 0;
  pair.serial = 0;
  const std::uint32_t keeper = std::exchange(pair.keeper, kNone);
  if (keeper != kNone && units_[keeper].open) {
    --units_[keeper].kept_alive;
    tidy(units_[keeper]);
  }
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
  unit.began = 0;
  unit.kept_at.clear();
  unit.kept.clear();
  unit.kept_alive = 0;
  unit.locations.clear();
  unit.records.clear();
  free_units_.push_back(number);
}

}  // namespace raddle
