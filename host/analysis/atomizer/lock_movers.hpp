// Which lock operations matter for reduction. An acquire moves right and a release left, with three
// refinements of the Atomizer's: the inner operations of a recursive lock change nothing
// (ExecutionState leaves them out already); an operation on a lock that no other thread uses, or
// only under another lock that is held here, too, cannot be contended: it moves both ways. Nor do
// two readers contend.
//
// Who uses a lock is a question about the whole execution, and the answer comes late. An operation
// that no earlier one contends with is *watched* for as long as its block may turn out to be
// violated by it: open blocks watch by themselves (Atomizer), and those that have ended are
// remembered here. The first operation of another thread that contends with it makes it the right
// or left mover that it was.
//
// As with data (lockset.hpp), operations contend only if nothing but locks orders them: what main
// does before it creates the threads, and after it has joined them, contends with nothing.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/happens_before.hpp"
#include "host/analysis/model/lock_sets.hpp"
#include "host/analysis/shadow/object_table.hpp"

namespace raddle {

// Something that a thread did, in the order of what it did. Position 0: nothing.
struct Moment {
  PointId point{};
  std::uint64_t object = 0;
  std::uint64_t step = 0;
  std::uint64_t position = 0;
};

// What of an operation on a lock decides whether another one contends with it.
struct LockUse {
  Epoch epoch;
  LockSetId any{}, exclusive{};  // the other locks that are held
  bool shared = false;           // for reading
  bool same_but_when(const LockUse& other) const {
    return any == other.any && exclusive == other.exclusive && shared == other.shared;
  }
};

// Uncontended operations of one kind in a block, on one lock.
struct WatchedLock {
  std::uint64_t lock = 0;
  std::uint64_t life = 0;  // of what is at that address
  LockUse use;
  Moment released;  // the first time
  Moment again;     // acquired, the first time after that
  Moment acquired;  // the last time
};

// The operations that fork and join are come in two readings: as nobody's business, and as the left
// mover and the right mover that they are.
enum class Reading : std::uint8_t { kPlain, kWithThreads };
inline constexpr std::size_t kReadings = 2;

// A dynamic atomic block, with where it committed, if it has.
struct ReducedBlock {
  std::uint64_t number = 0;
  std::uint64_t place = 0;
  bool declared = false;  // somebody said that it is one
  bool violated = false;  // in the plain reading
  Moment entered;
  Moment committed[kReadings];
};

class LockMovers {
 public:
  static constexpr std::size_t kMostWatched = 64;  // kinds of operations of a block; uses of a lock
  static constexpr std::size_t kMostBlocks = 64;   // that have ended, for each lock
  static constexpr std::size_t kMostRemembered = 4096;  // for all

  LockMovers(const ExecutionState& state, HappensBefore& order, LockSets& sets, bool refine)
      : state_(state), order_(order), sets_(sets), refine_(refine) {}

  // The current event is an outermost acquire or release.
  struct Judgement {
    bool both = false;  // it moves both ways, as far as is known
    std::uint64_t life = 0;
    LockUse use;
  };
  Judgement judge(const Event& event);
  // Whether that operation contends with one that is watched. Not of the same thread.
  bool contends(const Event& event, const Judgement& judgement, const WatchedLock& watched);

  void forget(std::uint64_t address, std::uint64_t bytes) { locks_.forget(address, bytes); }

  // A block that has ended, and may turn out to be violated.
  struct Remembered {
    ReducedBlock block;
    Moment last_right[kReadings];
    std::vector<WatchedLock> watched;
    std::uint64_t times = 1;  // blocks of one thread that did the same count as one
  };
  // False: there is no room.
  bool remember(Remembered block);
  // Those that watch an operation with which the current one contends; what it contends with is no
  // longer watched, and counts for `committed` and `last_right`.
  std::vector<Remembered*> turned_out(const Event& event, const Judgement& judgement);

 private:
  struct Lock {
    std::uint64_t life = 0;  // 0: not used yet
    std::vector<LockUse> uses;
    std::vector<std::uint32_t> blocks;  // remembered; some may have been replaced since
  };
  bool guarded(const LockUse& a, const LockUse& b);
  bool contend(const LockUse& a, const LockUse& b) {
    return !(a.shared && b.shared) && !guarded(a, b);
  }
  void add(Lock& lock, const LockUse& now, const VectorClock& clock);
  static std::uint64_t likeness(const Remembered& block);
  bool make_room();

  const ExecutionState& state_;
  HappensBefore& order_;
  LockSets& sets_;
  bool refine_;
  std::uint64_t lives_ = 0;
  ObjectTable<Lock> locks_;
  std::vector<Remembered> remembered_;
  std::vector<std::uint32_t> unused_;                       // of them
  std::uint64_t refused_ = 0;                               // since room was made
  std::unordered_map<std::uint64_t, std::uint32_t> alike_;  // likeness -> index
};

}  // namespace raddle
