#include "host/analysis/asset/asset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace raddle {
namespace {

AtomicSetOptions front_end(bool joint) {
  AtomicSetOptions options = asset_sets(joint);
  options.limits.max_automata = 0;  // the units are wanted, not the violations of this execution
  options.limits.max_accesses = 0;
  return options;
}

}  // namespace

AtomicSetOptions asset_sets(bool joint) {
  AtomicSetOptions options;
  options.units.same_class = true;
  options.units.joint = joint;
  return options;
}

AssetDetector::AssetDetector(ExecutionState& state, AssetOptions options)
    : state_(state), options_(options), sets_(state, front_end(options.joint)), order_(state) {
  sets_.tap(*this);
}

AssetDetector::Thread& AssetDetector::thread(ThreadIndex index) {
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  return threads_[index];
}

void AssetDetector::on_event(const Event& event) {
  Thread& self = thread(state_.index(event.thread));
  const std::uint64_t code = state_.site(event.site).code;
  if (event.kind == EventKind::enter) {
    self.callers.push_back(self.context);
    // Functions that only a code address names are none to the runtime's contexts.
    if (state_.site(event.site).kind == EventKind::enter)
      self.context = entered_context(self.context, code, event.value);
  } else if (event.kind == EventKind::exit) {
    if (!self.callers.empty()) {
      self.context = self.callers.back();
      self.callers.pop_back();
    }
  } else if (event.kind == EventKind::acquire || event.kind == EventKind::release) {
    if (state_.outermost()) {
      const bool acquire = event.kind == EventKind::acquire;
      self.locks.push_back({state_.events(), event.object, acquire, code, self.context});
    }
  }
  order_.on_event(event);
  sets_.on_event(event);
}

void AssetDetector::opened(AtomicSetEngine::UnitNumber number, SetNumber set, ThreadIndex index,
                           const UnitAccess& entered) {
  Unit unit;
  unit.thread = index;
  unit.entered = entered;
  unit.seen_lock_ops = thread(index).locks.size();
  unit.signature = mix(index, state_.stable(entered.point));
  open_[number] = {set, std::move(unit)};
}

void AssetDetector::accessed(AtomicSetEngine::UnitNumber number, LocationKey location, bool write,
                             const UnitAccess& where) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  Unit& unit = found->second.second;
  if (unit.accesses.size() >= options_.max_accesses) {
    bounded_ = true;
    return;
  }
  Access access;
  access.location = location;
  access.write = write;
  access.where = where;
  access.context = thread(unit.thread).context;
  access.held = state_.held(state_.thread(unit.thread));
  access.moment = order_.now(unit.thread);
  // Units that did the same under the same locks at the same relaxed time are one.
  std::uint64_t& signature = unit.signature;
  signature = mix(signature, location * 2 + (write ? 1 : 0));
  signature = mix(signature, state_.stable(where.point));
  signature = mix(signature, access.context);
  signature = mix(signature, raw(access.held));
  signature = mix(signature, access.moment.clock);
  const bool same_operation =  // the second half of a read-modify-write
      !unit.accesses.empty() && unit.accesses.back().where.time == where.time;
  signature = mix(signature, same_operation ? 1 : 0);
  const std::vector<LockOp>& locks = thread(unit.thread).locks;
  for (; unit.seen_lock_ops < locks.size(); ++unit.seen_lock_ops) {
    const LockOp& op = locks[unit.seen_lock_ops];
    signature = mix(signature, op.lock * 2 + (op.acquire ? 1 : 0));
  }
  unit.accesses.push_back(access);
}

void AssetDetector::widened(AtomicSetEngine::UnitNumber number, const UnitAccess& entered) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  Unit& unit = found->second.second;
  unit.entered = entered;
  unit.joint = true;
  unit.signature = mix(unit.signature, state_.stable(entered.point));
}

void AssetDetector::closed(AtomicSetEngine::UnitNumber number) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  auto [set, unit] = std::move(found->second);
  open_.erase(found);
  keep(set, std::move(unit));
}

void AssetDetector::keep(SetNumber set, Unit unit) {
  Kept& kept = kept_[set];
  if (unit.accesses.empty() || kept.signatures[unit.signature]++ >= options_.max_choices) return;
  if (kept.units.size() < options_.max_units) {
    kept.units.push_back(std::move(unit));
  } else {
    bounded_ = true;
  }
}

bool AssetDetector::released_between(ThreadIndex index, std::uint64_t lock, std::uint64_t from,
                                     std::uint64_t to) const {
  const std::vector<LockOp>& ops = threads_[index].locks;
  auto at = std::upper_bound(ops.begin(), ops.end(), from,
                             [](std::uint64_t time, const LockOp& op) { return time < op.time; });
  for (; at != ops.end() && at->time < to; ++at) {
    if (!at->acquire && at->lock == lock) return true;
  }
  return false;
}

// A lock that the unit holds without a break from slot `from` to its next slot `to` keeps out an
// access of the other unit that is to come in between.
bool AssetDetector::locked_out(const Choice& choice, int from, int to) const {
  const Access& first = *choice.chosen[from];
  const Access& next = *choice.chosen[to];
  const ThreadIndex owner = choice.units[choice.pattern.accesses[std::size_t(from)].other]->thread;
  for (const HeldLock& lock : state_.locks(first.held)) {
    if (released_between(owner, lock.lock, first.where.time, next.where.time)) continue;
    for (int between = from + 1; between < to; ++between) {
      for (const HeldLock& theirs : state_.locks(choice.chosen[between]->held)) {
        if (theirs.lock == lock.lock && !(theirs.shared && lock.shared)) return true;
      }
    }
  }
  return false;
}

bool AssetDetector::fits(const Choice& choice, int slot, const Access& access) const {
  const PatternAccess& wanted = choice.pattern.accesses[std::size_t(slot)];
  if (access.write != wanted.write) return false;
  for (int earlier = 0; earlier < slot; ++earlier) {
    const PatternAccess& other = choice.pattern.accesses[std::size_t(earlier)];
    const Access& chosen = *choice.chosen[earlier];
    if ((chosen.location == access.location) != (other.second == wanted.second)) return false;
    if (other.other == wanted.other) {
      // In the unit's own order; a read-modify-write has no room between its halves.
      if (chosen.where.time > access.where.time || &chosen >= &access) return false;
      if (chosen.where.time == access.where.time && earlier + 1 != slot) return false;
    } else if (options_.relaxed_order && order_.before(access.moment, chosen.moment)) {
      return false;
    }
  }
  return true;
}

void AssetDetector::extend(Choice& choice, int slot) {
  if (slot == choice.pattern.length) return add(choice);
  const bool other = choice.pattern.accesses[std::size_t(slot)].other;
  for (const Access& access : choice.units[other]->accesses) {
    if (tries_ >= options_.max_tries || candidates_.size() >= options_.max_candidates) {
      bounded_ = true;
      return;
    }
    ++tries_;
    if (!fits(choice, slot, access)) continue;
    choice.chosen[slot] = &access;
    int last = slot - 1;
    while (last >= 0 && choice.pattern.accesses[std::size_t(last)].other != other) --last;
    if (last >= 0 && last + 1 < slot && locked_out(choice, last, slot)) continue;
    extend(choice, slot + 1);
  }
}

void AssetDetector::finish() {
  std::vector<AtomicSetEngine::UnitNumber> numbers;  // the table has no order of its own
  numbers.reserve(open_.size());
  for (const auto& [number, unit] : open_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (const auto number : numbers) closed(number);
  for (const auto& [set, kept] : kept_) {
    for (const Unit& unit : kept.units) {
      for (const Unit& other : kept.units) {
        if (unit.thread == other.thread) continue;
        for (const Pattern& pattern : patterns()) {
          Choice choice{pattern, {&unit, &other}, {}, {}};
          extend(choice, 0);
        }
      }
    }
  }
  if (bounded_) {
    state_.note(
        "asset: a bound was hit (accesses of a unit, units of a set, combinations tried): "
        "candidates may be missing");
  }
}

std::vector<Finding> AssetDetector::take_findings() {
  std::vector<Finding> findings;
  findings.reserve(candidates_.size());
  for (const AssetCandidate& candidate : candidates_) findings.push_back(candidate.finding);
  return findings;
}

}  // namespace raddle
