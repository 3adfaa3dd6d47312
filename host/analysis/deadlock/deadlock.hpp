// Deadlocks that could happen, from the order in which locks were acquired. A *dependency* is a
// thread that acquires a lock while it holds others. A deadlock is a cycle of dependencies in which
//   - each waits for a lock that the next one holds, in a mode that excludes it: a reader does not
//     wait for a reader;
//   - the threads are different;
//   - no two of them hold a common lock that keeps them apart (a gate lock), which two readers of
//   it
//     do not;
//   - any two of them can be at the same time: neither happens before the other by fork, join,
//     signals and notifies. Locks and memory do not count: another schedule orders them otherwise.
// Inner acquires of a recursive lock are none. The acquire at the end of a condition wait is one.
//
// Bounded: cycles of up to AnalysisOptions::max_cycle locks, max_cycle_search steps of the search;
// of the same thread, locks held and lock acquired the first kMostTimes times that can differ in
// what they happen before; kMostDependencies in all. What was hit is in ExecutionState::notes().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/happens_before.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/shadow/object_table.hpp"

namespace raddle {

class DeadlockDetector final : public Detector {
 public:
  static constexpr std::size_t kMostTimes = 32;
  static constexpr std::size_t kMostDependencies = std::size_t{1} << 20;

  DeadlockDetector(ExecutionState& state, const AnalysisOptions& options);
  void on_event(const Event& event) override;
  bool wants_blocks() const override { return false; }
  EventKinds ignores() const override {
    return kScopes |
           kinds_of({EventKind::decision, EventKind::read, EventKind::write, EventKind::read_range,
                     EventKind::write_range, EventKind::atomic_load, EventKind::atomic_store,
                     EventKind::atomic_update, EventKind::atomic_compare, EventKind::fence});
  }
  void finish() override;
  std::vector<Finding> take_findings() override { return findings_.take(); }

  // Tests see every cycle: its dependencies, sorted, as "T1{m,n!}l!" in numbers; ! is exclusive.
  std::vector<std::vector<std::string>>* all_cycles = nullptr;

 private:
  using LockNumber = std::uint32_t;  // unique for a lock in this life of its memory; from 1
  struct Lock {
    LockNumber number = 0;
  };
  struct Held {
    LockNumber lock = 0;
    bool shared = false;
    std::uint64_t address = 0;
    PointId point{};  // of its acquire
    std::uint64_t step = 0;
  };
  struct Dependency {
    ThreadIndex thread = 0;
    ThreadIndex slot = 0;  // of the thread in the clocks
    std::vector<Held> held;
    Held acquired;
    std::vector<VectorClock> times;  // at which it was met, as far as they differ
    std::uint64_t last_version = 0;  // of the thread's clock, see Thread
  };
  struct Thread {
    std::vector<Held> held;
    std::uint64_t hash = 0;     // of what is held
    std::uint64_t version = 1;  // counts changes of its clock
  };

  Thread& thread(ThreadIndex index);
  LockNumber number(std::uint64_t lock);
  void acquire(const Event& event);
  void release(const Event& event);
  void order(const Event& event);

  // deadlock_search.cpp
  bool waits_for(const Dependency& a, const Dependency& b) const;
  bool gated(const Dependency& a, const Dependency& b) const;
  bool simultaneous(const std::vector<std::uint32_t>& cycle, std::vector<std::size_t>& times) const;
  std::vector<std::uint32_t> components() const;
  std::vector<bool> prune();
  void extend(std::vector<std::uint32_t>& path);
  void report(const std::vector<std::uint32_t>& cycle);

  ExecutionState& state_;
  AnalysisOptions options_;
  HappensBefore order_;
  std::vector<Thread> threads_;  // by ThreadIndex
  ObjectTable<Lock> locks_;
  LockNumber last_lock_ = 0;
  std::vector<Dependency> dependencies_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;  // by hash of their key
  // While searching.
  std::vector<std::vector<std::uint32_t>> holders_;  // by LockNumber: who holds it
  std::uint64_t searched_ = 0;
  FindingSet findings_;
};

std::unique_ptr<Detector> make_deadlock_detector(ExecutionState& state,
                                                 const AnalysisOptions& options);

}  // namespace raddle
