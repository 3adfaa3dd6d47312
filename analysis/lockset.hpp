// Eraser's lockset algorithm (Savage et al., TOCS 1997) as published, for every location: virgin,
// exclusive to its first thread, shared (others only read), shared-modified. From the first access
// by a second thread on, its candidate set is intersected with the locks that the thread holds at
// each access; for a write, with those it holds exclusively. An empty set is reported only in
// shared-modified. It knows nothing of fork, join, signals or atomics: it predicts more than
// `race`, and is wrong more often.
//
// LocksetAnalysis is that algorithm; the detector reports what it finds, and the atomizer asks it
// whether an access is protected. For the latter there is a second set, of the locks held at every
// write alone: data that is written under a lock and read without it as well.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/detector.hpp"
#include "analysis/finding_set.hpp"
#include "analysis/lock_sets.hpp"
#include "analysis/options.hpp"
#include "analysis/shadow/shadow_map.hpp"
#include "analysis/world.hpp"

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
    std::uint32_t variable = 0;       // unique for this memory in this life; 0: virgin
    ThreadIndex owner = 0;            // kExclusive
    LockSetId candidates{};           // held at every access, from the second thread on
    LockSetId at_writes = kAllLocks;  // held at every write, from the second thread on
    Access last;                      // the last access,
    Access other;                     // and the last one before it by another thread
  };

  explicit LocksetAnalysis(World& world) : world_(world), sets_(world), shadow_(*this) {}

  // Applies an access to all locations it touches; calls visit(Cell&, address, bytes, lost) after
  // each. lost: it has less protection than before, so that earlier accesses may turn out racy().
  template <class Visit>
  void access(const Event& event, std::uint64_t address, std::uint64_t bytes, bool writes,
              Visit&& visit) {
    const HeldId held = world_.held(event.thread);
    const Access now{world_.point(event), static_cast<std::uint32_t>(event.step),
                     world_.index(event.thread)};
    shadow_.access(address, bytes, [&](Cell& cell, std::uint64_t at, unsigned size) {
      const bool lost = step(cell, now, held, writes);
      visit(cell, at, size, lost);
    });
  }
  void forget(std::uint64_t address, std::uint64_t bytes) { shadow_.forget(address, bytes); }

  // No lock protects all accesses, and it matters.
  static bool unprotected(const Cell& cell) {
    return cell.state == LocksetState::kSharedModified && cell.candidates == kEmptyLockSet;
  }
  // Whether an access of this kind with these locks held can be interleaved with a conflicting one,
  // as far as is known by now: with a common lock for all accesses, none can; with one for the
  // writes only, a read that holds it cannot.
  bool racy(const Cell& cell, HeldId held, bool writes) {
    if (!unprotected(cell)) return false;
    return writes || sets_.intersect(cell.at_writes, sets_.any(held)) == kEmptyLockSet;
  }
  LockSets& sets() { return sets_; }

  // For the shadow map.
  Cell clone(const Cell& cell) {
    Cell copy = cell;
    if (copy.variable != 0) copy.variable = ++variables_;
    return copy;
  }
  static void drop(Cell&) {}

 private:
  bool step(Cell& cell, const Access& now, HeldId held, bool writes);

  World& world_;
  LockSets sets_;
  std::uint32_t variables_ = 0;
  ShadowMap<Cell, LocksetAnalysis> shadow_;
};

class LocksetDetector final : public Detector {
 public:
  explicit LocksetDetector(World& world) : world_(world), analysis_(world) {}
  void on_event(const Event& event) override;
  std::vector<Finding> take_findings() override { return findings_.take(); }

  // Tests see every report: the address of the first byte and how many, and the event.
  struct Report {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t step = 0;
  };
  std::vector<Report>* all_reports = nullptr;

 private:
  void describe(const Event& event, const LocksetAnalysis::Cell& cell, std::uint64_t address);

  World& world_;
  LocksetAnalysis analysis_;
  FindingSet findings_;
};

std::unique_ptr<Detector> make_lockset_detector(World& world, const AnalysisOptions& options);

}  // namespace raddle
