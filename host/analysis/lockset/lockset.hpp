// Eraser's lockset algorithm (Savage et al., TOCS 1997), for every location: virgin, exclusive to
// its first thread, shared (others only read), shared-modified. From the first access by a second
// thread on, its candidate set is intersected with the locks that the thread holds at each access;
// for a write, with those it holds exclusively. An empty set is reported only in shared-modified.
//
// Deviation: as published it knows nothing but locks, and accuses every program that initialises
// data before it creates threads or reads results after it has joined them. Here data is *handed
// over*: an access that comes after all the earlier ones, by an order that does not hang on who
// got a lock first, makes the location exclusive to its thread again. That order is fork and join
// (Harrow's thread segments, SPIN 2000), signal and await, notify and wake, and the
// synchronising atomic operations (the hybrids of O'Callahan and Choi, PPoPP 2003, and of the first
// ThreadSanitizer, WBIA 2009). Locks make no such order: where only they kept two accesses apart,
// another schedule may not, which is what this detector is for. So it predicts more than `race`.
//
// LocksetAnalysis is that algorithm; the detector reports what it finds, and the atomizer asks it
// whether an access is protected. For the latter there is a second set, of the locks held at every
// write alone: data that is written under a lock and read without it as well.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/analysis/lockset/latest_uses.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/happens_before.hpp"
#include "host/analysis/model/lock_sets.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

enum class LocksetState : std::uint8_t { kVirgin, kExclusive, kReadShared, kSharedModified };

class LocksetAnalysis {
 public:
  struct Access {  // somebody's, remembered for the report
    PointId point{};
    std::uint32_t step = 0;
    ThreadIndex thread = 0;
  };
  struct Cell {
    LocksetState state = LocksetState::kVirgin;
    bool reported = false;
    bool commuting = false;           // all accesses, from the second thread on
    std::uint32_t variable = 0;       // unique, from one hand-over to the next; 0: virgin
    ThreadIndex owner = 0;            // kExclusive
    std::uint32_t users = 0;          // shared: number + 1 in users_
    Epoch used;                       // exclusive: the owner's last access
    LockSetId candidates{};           // held at every access, from the second thread on
    LockSetId at_writes = kAllLocks;  // held at every write, from the second thread on
    Access last;                      // the last access,
    Access other;                     // and the last one before it by another thread
  };

  // Atomic operations order threads for plain data; not for the atomics themselves, which are
  // shared whatever they do. `first_variable`: numbers of variables count from there.
  LocksetAnalysis(ExecutionState& state, bool atomics_order, std::uint32_t first_variable = 0)
      : state_(state),
        order_(state),
        sets_(state),
        atomics_order_(atomics_order),
        variables_(first_variable),
        shadow_(*this) {}

  // Every event that may order threads, before and after its accesses; others are ignored.
  void before(const Event& event) {
    if (orders(event.kind)) order_.before(event);
  }
  void after(const Event& event) {
    if (orders(event.kind)) order_.after(event);
  }

  // What an access does to its location. A *commuting* one gives the same result in whichever order
  // it and others of its kind come: counting up and down.
  enum class Effect : std::uint8_t { kRead, kWrite, kCommutes };

  // Applies an access to all locations it touches; calls visit(Cell&, address, bytes, lost) after
  // each. lost: it has less protection than before, so that earlier accesses may turn out racy().
  template <class Visit>
  void access(const Event& event, std::uint64_t address, std::uint64_t bytes, Effect effect,
              Visit&& visit) {
    const HeldId held = state_.held(event.thread);
    const ThreadIndex thread = state_.index(event.thread);
    const Now now{{state_.point(event), static_cast<std::uint32_t>(event.step), thread},
                  order_.epoch(thread),
                  order_.clock(thread)};
    shadow_.access(address, bytes, [&](Cell& cell, std::uint64_t at, unsigned size) {
      const bool lost = step(cell, now, held, effect);
      visit(cell, at, size, lost);
    });
  }
  void forget(std::uint64_t address, std::uint64_t bytes) { shadow_.forget(address, bytes); }

  // All of it is the thread's alone so far, or untouched.
  bool owned_by(ThreadIndex thread, std::uint64_t address, std::uint64_t bytes) {
    bool owned = true;
    shadow_.access(address, bytes, [&](const Cell& cell, std::uint64_t, unsigned) {
      owned = owned && (cell.state == LocksetState::kVirgin ||
                        (cell.state == LocksetState::kExclusive && cell.owner == thread));
    });
    return owned;
  }

  // No lock protects all accesses, and it matters.
  static bool unprotected(const Cell& cell) {
    return cell.state == LocksetState::kSharedModified && cell.candidates == kEmptyLockSet &&
           !cell.commuting;
  }
  // Whether an access of this kind with these locks held can be interleaved with a conflicting one,
  // as far as is known by now: with a common lock for all accesses, none can; with one for the
  // writes only, a read that holds it cannot.
  bool racy(const Cell& cell, HeldId held, bool writes) {
    if (!unprotected(cell)) return false;
    return writes || sets_.intersect(cell.at_writes, sets_.any(held)) == kEmptyLockSet;
  }
  LockSets& sets() { return sets_; }
  HappensBefore& order() { return order_; }  // without locks

  // For the shadow map.
  Cell clone(const Cell& cell);
  void drop(Cell& cell);

 private:
  struct Now {
    Access access;
    Epoch epoch;
    const VectorClock& clock;
  };
  // Also what gives up the memory of what orders. Locks do not.
  bool orders(EventKind kind) const {
    constexpr EventKinds kThreads =
        kinds_of({EventKind::fork, EventKind::join, EventKind::wake, EventKind::notify,
                  EventKind::signal, EventKind::await, EventKind::allocate, EventKind::free,
                  EventKind::local, EventKind::destroy});
    return is_atomic(kind) ? atomics_order_ : contains(kThreads, kind);
  }
  bool step(Cell& cell, const Now& now, HeldId held, Effect effect);
  void own(Cell& cell, const Now& now);
  LatestUses& users(Cell& cell);

  ExecutionState& state_;
  HappensBefore order_;
  LockSets sets_;
  bool atomics_order_;
  std::uint32_t variables_;
  std::vector<LatestUses> users_;
  std::vector<std::uint32_t> unused_users_;
  ShadowMap<Cell, LocksetAnalysis> shadow_;
};

class LocksetDetector final : public Detector {
 public:
  explicit LocksetDetector(ExecutionState& state) : state_(state), analysis_(state, true) {}
  void on_event(const Event& event) override;
  bool wants_blocks() const override { return false; }
  EventKinds ignores() const override {
    return kScopes | kinds_of({EventKind::decision, EventKind::acquire, EventKind::release});
  }
  std::vector<Finding> take_findings() override { return findings_.take(); }

  // Tests see every report: the address of the first byte and how many, and the event.
  struct Report {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t step = 0;
  };
  std::vector<Report>* all_reports = nullptr;

 private:
  void describe(const Event& event, const LocksetAnalysis::Cell& cell, std::uint64_t address);

  ExecutionState& state_;
  LocksetAnalysis analysis_;
  FindingSet findings_;
};

std::unique_ptr<Detector> make_lockset_detector(ExecutionState& state,
                                                const AnalysisOptions& options);

}  // namespace raddle
