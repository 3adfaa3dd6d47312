// Which lock operations matter for reduction. An acquire moves right and a release left, with three
// refinements of the Atomizer's: the inner operations of a recursive lock change nothing (World
// leaves them out already); a lock that only one thread has used so far, and a lock that has always
// been acquired under another one since a second thread used it, cannot be contended: its
// operations move both ways, until that stops being true. What was judged before that moment stays
// as it was judged.
#pragma once

#include <cstdint>

#include "analysis/lock_sets.hpp"
#include "analysis/shadow/object_table.hpp"
#include "analysis/world.hpp"

namespace raddle {

class LockMovers {
 public:
  LockMovers(const World& world, LockSets& sets, bool refine)
      : world_(world), sets_(sets), refine_(refine) {}

  // The current event is an outermost acquire; true: it moves both ways.
  bool acquire(const Event& event);
  // ... release.
  bool release(const Event& event);
  void forget(std::uint64_t address, std::uint64_t bytes) { locks_.forget(address, bytes); }

 private:
  struct Lock {
    bool used = false;
    bool shared = false;  // by a second thread
    ThreadIndex owner = 0;
    LockSetId under{};  // held exclusively at every acquire since then
  };
  static bool uncontended(const Lock& lock) { return !lock.shared || lock.under != kEmptyLockSet; }

  const World& world_;
  LockSets& sets_;
  bool refine_;
  ObjectTable<Lock> locks_;
};

}  // namespace raddle
