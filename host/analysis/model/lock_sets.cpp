#include "host/analysis/model/lock_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace raddle {

LockSets::LockSets(const ExecutionState& state) : state_(state), cache_(kCache) {
  sets_(Node{});                      // kEmptyLockSet
  sets_(Node{kEmptyLockSet, ~0ULL});  // kAllLocks: takes its number, never looked into
}

LockSetId LockSets::make(std::vector<std::uint64_t> locks) {
  std::sort(locks.begin(), locks.end());
  LockSetId set = kEmptyLockSet;
  for (std::uint64_t lock : locks) {
    // The number of "all locks" is taken by a lock that no program has at the end of memory.
    if (lock != ~0ULL) set = LockSetId{sets_(Node{set, lock})};
  }
  return set;
}

const LockSets::Pair& LockSets::sets_of(HeldId held) {
  if (raw(held) >= held_.size()) held_.resize(raw(held) + std::size_t{1});
  if (!held_[raw(held)].known) {
    std::vector<std::uint64_t> any, exclusive;
    for (const HeldLock& lock : state_.locks(held)) {
      any.push_back(lock.lock);
      if (!lock.shared) exclusive.push_back(lock.lock);
    }
    held_[raw(held)] = {make(std::move(any)), make(std::move(exclusive)), true};
  }
  return held_[raw(held)];
}

std::vector<std::uint64_t> LockSets::locks(LockSetId set) const {
  std::vector<std::uint64_t> locks;
  for (; set != kEmptyLockSet; set = sets_[raw(set)].rest) locks.push_back(sets_[raw(set)].lock);
  std::reverse(locks.begin(), locks.end());
  return locks;
}

LockSetId LockSets::intersect(LockSetId a, LockSetId b) {
  if (a == b || b == kAllLocks) return a;
  if (a == kAllLocks) return b;
  if (a == kEmptyLockSet || b == kEmptyLockSet) return kEmptyLockSet;
  Cached& cached = cache_[mix(raw(a), raw(b)) & (kCache - 1)];
  if (cached.a != a || cached.b != b) {
    const std::vector<std::uint64_t> left = locks(a), right = locks(b);
    std::vector<std::uint64_t> both;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                          std::back_inserter(both));
    cached = {a, b, make(std::move(both))};
  }
  return cached.result;
}

}  // namespace raddle
