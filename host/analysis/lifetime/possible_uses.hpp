// Uses of memory that could come after its free, though they came before it: the use and the free
// are of different threads, and nothing orders them but who got a mutex first. What a hunt tries to
// bring about; nothing that anybody is told. Most programs with such a pair are right: whoever
// frees takes the pointer out of a table under the same lock, and the use would not find it.
//
// A use is a plain or atomic access to a byte of a block, a free is of code with hooks. The order
// is happens-before (model/happens_before.hpp) without the edges by locks: atomic operations,
// creation and join, conditions, semaphores and barriers keep theirs. A semaphore that is used as a
// lock is a lock (model/semaphore_locks.hpp). A pair is of one life of the block. What comes after
// the free is no possibility any more: lifetime.hpp has it. Not seen: locals, whose life ends with
// a function, and the synchronisation objects of a block.
//
// A location keeps the last access of each thread, place and way to hold locks. That is enough: who
// knows the last one knows those before it. The number of accesses kept is bounded; beyond it a
// location keeps the latest.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/happens_before.hpp"
#include "host/analysis/shadow/pooled_lists.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

// A use and a free, with the places where their threads can still be kept apart.
struct PossibleUse {
  SiteId use{};
  SiteId free{};
  // Both hold a lock, so the free cannot come directly before the use. It has to come before the
  // outermost such lock is taken, here. kNoSite: there is none.
  SiteId use_locks{};
  // Where the outermost lock is taken that is held at the free: with it the thread could keep the
  // other one from its use. kNoSite: none is held.
  SiteId free_locks{};
  auto operator<=>(const PossibleUse&) const = default;
};

class PossibleUses final : public Detector {
 public:
  explicit PossibleUses(ExecutionState& state, std::size_t at_most = kMostAccesses)
      : state_(state), order_(state), shadow_(*this), at_most_(at_most) {}
  void on_event(const Event& event) override;
  EventKinds ignores() const override { return kScopes | kinds_of({EventKind::decision}); }
  std::vector<Finding> take_findings() override { return {}; }

  const std::set<PossibleUse>& uses() const { return uses_; }
  // The same, each as the finding of the lifetime detector that would show it: the free, the use.
  // One for each of uses(), in its order.
  std::vector<Finding> predicted() const;

 private:
  static constexpr std::size_t kMostAccesses = std::size_t{1} << 20;

  struct Hold {
    std::uint64_t lock = 0;
    SiteId site{};  // where it was taken
    bool shared = false;
    auto operator<=>(const Hold&) const = default;
  };
  using Holds = std::vector<Hold>;  // the outermost first
  struct Access {
    Epoch epoch;
    PointId point{};
    std::uint32_t step = 0;   // its lower half: see whole_step()
    std::uint32_t holds = 0;  // in holds_
  };

 public:
  // For the shadow map.
  struct Cell {
    std::uint32_t list = 0;  // in lists_, 0: none
  };
  Cell clone(const Cell& cell);
  void drop(Cell& cell);

 private:
  struct Thread {
    Holds holds;
    std::uint32_t number = 0;  // in holds_, of these
  };
  struct Pair {
    PointId use{}, free{};
    std::uint64_t address = 0, use_step = 0, free_step = 0;
    std::string object;  // as the block was called when it was freed
  };

  void access(const Event& event);
  void free(const Event& event);
  void acquire(const Event& event);
  void release(const Event& event);
  void keep(Cell& cell, const Access& now);
  void look(const Access& earlier, const Event& free, const Holds& held, std::uint64_t address);
  Thread& thread(ThreadId id);
  void number(Thread& thread);

  ExecutionState& state_;
  HappensBefore order_;  // without locks
  ShadowMap<Cell, PossibleUses> shadow_;
  PooledLists<Access> lists_;
  std::size_t at_most_;
  std::vector<Thread> threads_;  // by ThreadIndex
  std::vector<Holds> holds_{Holds{}};
  std::map<Holds, std::uint32_t> numbers_{{Holds{}, 0}};
  std::set<PossibleUse> uses_;
  std::map<PossibleUse, Pair> first_;  // the first pair of each
};

}  // namespace raddle
