// Phase one of AssetFuzzer (002, section 4.1): potential atomic-set serializability violations,
// inferred from an execution that need not show any. Two units of work of different threads on one
// set can interleave in a problematic pattern if
//   - the relaxed happens-before relation does not forbid the order of the pattern's accesses
//     (relaxed_order.hpp), and
//   - no lock keeps the accesses in between out: a lock that one unit holds without a break from
//   one
//     of its accesses to its next one, and that the other unit holds at an access between these two
//     (not both for reading).
// All 14 patterns of 004; sets, units and locations are those of the detector of violations
// (analysis/atomset/), whose front end this uses.
//
// A candidate names its accesses by statement and calling context, and the vulnerable window: where
// a lock that both hold is released and taken, so that phase two (target/strategy/asset.cpp)
// suspends threads without thrashing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/analysis/asset/relaxed_order.hpp"
#include "host/analysis/atomset/atomset.hpp"
#include "host/analysis/model/detector.hpp"
#include "protocol/aim.hpp"

namespace raddle {

struct AssetOptions {
  bool joint = true;                    // see UnitOptions
  std::size_t max_accesses = 64;        // of one unit; the first ones
  std::size_t max_units = 256;          // different ones on one set
  std::uint64_t max_tries = 5'000'000;  // accesses tried for patterns
  std::size_t max_candidates = 10'000;
  // Off: the relaxed order forbids nothing. For who decides by other means what can be (a solver):
  // a signal or a post that came first in this execution need not come first in another.
  bool relaxed_order = true;
  std::size_t max_choices = 1;  // of accesses, that a candidate keeps; of units that did the same
};

// Sets and units as 002 reads them; also for the detector that confirms. `joint`: see UnitOptions.
AtomicSetOptions asset_sets(bool joint = true);

struct AssetCandidate {
  int pattern = 0;
  std::uint64_t key = 0;      // of pattern, statements and contexts: the same candidate
  std::vector<AimSite> aims;  // kStep in the pattern's order, then kWindow; addresses
  Finding finding;
  // Event::step of the accesses, for the first choices that make the same candidate: one of them
  // may be possible where another is not.
  std::vector<std::vector<std::uint64_t>> choices;
};

class AssetDetector final : public Detector, private EngineTap {
 public:
  explicit AssetDetector(ExecutionState& state, AssetOptions options = {});
  AssetDetector(const AssetDetector&) = delete;
  AssetDetector& operator=(const AssetDetector&) = delete;

  AtomicSetDetector& sets() { return sets_; }

  void on_object(std::uint64_t address, std::uint64_t bytes) override {
    sets_.on_object(address, bytes);
  }
  void on_event(const Event& event) override;
  void finish() override;
  std::vector<Finding> take_findings() override;

  // After finish(), in a deterministic order.
  const std::vector<AssetCandidate>& candidates() const { return candidates_; }

  // Every choice of accesses, before those at the same places are taken for one; for tests.
  std::function<void(const Pattern&, std::span<const UnitAccess>)> on_choice;

 private:
  struct Access {
    LocationKey location = 0;
    bool write = false;
    UnitAccess where;
    std::uint64_t context = 0;
    HeldId held{};
    RelaxedOrder::Moment moment;
  };
  struct Unit {
    ThreadIndex thread = 0;
    UnitAccess entered;
    bool joint = false;  // of several calls, see UnitOptions
    std::vector<Access> accesses;
    std::uint64_t signature = 0;
    std::size_t seen_lock_ops = 0;  // of its thread's, that are in the signature
  };
  struct LockOp {
    std::uint64_t time = 0;
    std::uint64_t lock = 0;
    bool acquire = false;
    std::uint64_t code = 0;
    std::uint64_t context = 0;
  };
  struct Thread {
    std::uint64_t context = 0;
    std::vector<std::uint64_t> callers;  // contexts of the functions that it is in
    std::vector<LockOp> locks;
  };
  struct Choice {
    const Pattern& pattern;
    const Unit* units[2];
    const Access* chosen[4];
    LocationKey locations[2];
  };

  void opened(AtomicSetEngine::UnitNumber unit, SetNumber set, ThreadIndex thread,
              const UnitAccess& entered) override;
  void accessed(AtomicSetEngine::UnitNumber unit, LocationKey location, bool write,
                const UnitAccess& access) override;
  void widened(AtomicSetEngine::UnitNumber unit, const UnitAccess& entered) override;
  void closed(AtomicSetEngine::UnitNumber unit) override;
  void discarded(AtomicSetEngine::UnitNumber unit) override { open_.erase(unit); }

  Thread& thread(ThreadIndex index);
  void keep(SetNumber set, Unit unit);
  void extend(Choice& choice, int slot);
  bool fits(const Choice& choice, int slot, const Access& access) const;
  bool locked_out(const Choice& choice, int from, int to) const;
  bool released_between(ThreadIndex thread, std::uint64_t lock, std::uint64_t from,
                        std::uint64_t to) const;
  void add(const Choice& choice);
  std::vector<AimSite> aims_of(const Choice& choice) const;
  void add_windows(const Choice& choice, std::vector<AimSite>& aims) const;
  std::vector<std::uint64_t> common_locks(HeldId a, HeldId b) const;

  ExecutionState& state_;
  AssetOptions options_;
  AtomicSetDetector sets_;
  RelaxedOrder order_;
  std::vector<Thread> threads_;  // by ThreadIndex
  std::unordered_map<AtomicSetEngine::UnitNumber, std::pair<SetNumber, Unit>> open_;
  struct Kept {
    std::vector<Unit> units;
    std::unordered_map<std::uint64_t, std::size_t> signatures;  // how many units have it
  };
  std::map<SetNumber, Kept> kept_;
  std::uint64_t tries_ = 0;
  bool bounded_ = false;
  std::unordered_map<std::uint64_t, std::size_t> keys_;  // to candidates_
  std::vector<AssetCandidate> candidates_;
};

}  // namespace raddle
