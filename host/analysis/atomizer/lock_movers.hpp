// Which lock operations matter for reduction. An acquire moves right and a release left, with three
// refinements of the Atomizer's: the inner operations of a recursive lock change nothing
// (ExecutionState leaves them out already); a lock that only one thread has used so far, and a lock
// that has always been acquired under another one since a second thread used it, cannot be
// contended: its operations move both ways, until that stops being true.
//
// As with data (lockset.hpp) a lock is handed over when a thread comes to use it that knows of all
// uses before: main's, before it creates the threads and after it has joined them.
//
// When a lock turns out to be contended, most of what was judged before stays as it was judged; but
// a *window*, in which a block had released the lock and acquired it again, is made good: another
// thread could have been there. The blocks may have ended, so windows are remembered here; and
// given up when the lock is handed over.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/lockset/latest_uses.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/happens_before.hpp"
#include "host/analysis/model/lock_sets.hpp"
#include "host/analysis/shadow/object_table.hpp"

namespace raddle {

// Something that a thread did, in the order of what it did.
struct Moment {
  PointId point{};
  std::uint64_t object = 0;
  std::uint64_t step = 0;
  std::uint64_t position = 0;
};

// A dynamic atomic block, with where it committed, if it has.
struct ReducedBlock {
  std::uint64_t number = 0;
  std::uint64_t place = 0;
  Moment entered;
  Moment committed;
};

struct LockWindow {
  std::uint64_t life = 0;  // of the lock, from one hand-over to the next
  Moment released, acquired;
};

class LockMovers {
 public:
  static constexpr std::size_t kMostWindows = 64;  // of a lock

  LockMovers(const ExecutionState& state, HappensBefore& order, LockSets& sets, bool refine)
      : state_(state), order_(order), sets_(sets), refine_(refine) {}

  struct Judgement {
    bool both = false;       // it moves both ways
    bool contended = false;  // for the first time, by this event
    std::uint64_t life = 0;
  };
  // The current event is an outermost acquire.
  Judgement acquire(const Event& event);
  // ... release.
  Judgement release(const Event& event);
  // By now, and not handed over since.
  bool contended(std::uint64_t lock, std::uint64_t life) {
    const Lock& now = locks_.at(lock);
    return now.life == life && !uncontended(now);
  }
  void forget(std::uint64_t address, std::uint64_t bytes) { locks_.forget(address, bytes); }

  struct Remembered {
    ReducedBlock block;
    LockWindow window;
    std::uint64_t times = 1;  // blocks at the same place count as one
  };
  // The block has ended, and the lock is still not contended. False: there is no room.
  bool remember(std::uint64_t lock, const Remembered& window);
  // Of a lock that has become contended.
  std::vector<Remembered> take_windows(std::uint64_t lock);

 private:
  struct Lock {
    std::uint64_t life = 0;  // 0: not used yet
    bool shared = false;     // by a second thread
    ThreadIndex owner = 0;   // not shared
    Epoch used;              // not shared: last
    LatestUses users;        // shared
    LockSetId under{};       // held exclusively at every acquire since then
    std::vector<Remembered> windows;
  };
  static bool uncontended(const Lock& lock) { return !lock.shared || lock.under != kEmptyLockSet; }
  // True: it is the thread's alone.
  bool use(Lock& lock, ThreadIndex thread);

  const ExecutionState& state_;
  HappensBefore& order_;
  LockSets& sets_;
  bool refine_;
  std::uint64_t lives_ = 0;
  ObjectTable<Lock> locks_;
};

}  // namespace raddle
