// Atomic-set serializability of an execution (004): which accesses belong to which set and unit of
// work is read off the events, by the defaults of 004 section 4.1 as C++ has them and by the
// user's annotations; the engine finds the patterns. docs/atomic_sets.md is the long version.
//
// Sets: objects.hpp says which object a byte belongs to. The data members of an object are one set,
// but for those that are const or atomic; the static members of a class are one; what is annotated
// with a set's name is that set of its object, or of its class.
//
// Units of work on a set: calls of the object's public and protected member functions (kSiteUnit),
// calls of functions that touch the set directly, annotated units on the object, and annotated
// atomic blocks, which are units on every set. An access belongs to the outermost of its thread's;
// a callback from code without hooks starts anew. Constructors and destructors of an object that
// one thread alone has used do not count. Deviations from 004, each with an option, since their
// absence means false alarms:
//   - What a thread was created for (main included) is no unit: in it, a region that holds a lock
//     is one, and else each access is one of its own.
//   - A condition wait ends the units that are open: they give up their atomicity by design.
//   - What a unit did before it created the other unit's thread does not count between the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/atomset/engine.hpp"
#include "host/analysis/atomset/locations.hpp"
#include "host/analysis/atomset/units.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/options.hpp"

namespace raddle {

struct AtomicSetOptions {
  bool ownership = true;    // memory that an object allocated belongs to its set
  bool fork_orders = true;  // what came before a thread's creation does not interleave with it
  UnitOptions units;
  EngineLimits limits;
  // Not empty: patterns of accesses at these places only, by ExecutionState::stable(). A pair of
  // units is reported with one choice of accesses; who looks for a certain one wants no other.
  std::vector<std::uint64_t> only_at;
  std::uint64_t max_range = std::uint64_t{1} << 15;  // a range access counts by its first bytes
  std::size_t max_findings = 10'000;
};

class AtomicSetDetector final : public Detector {
 public:
  explicit AtomicSetDetector(ExecutionState& state, const AtomicSetOptions& options = {});
  AtomicSetDetector(const AtomicSetDetector&) = delete;
  AtomicSetDetector& operator=(const AtomicSetDetector&) = delete;

  // These bytes belong to the set of this name, and a unit on an object there is one on the set.
  // Before the first event that touches them.
  void declare_set(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
    locations_.declare(address, bytes, name);
  }

  void on_object(std::uint64_t address, std::uint64_t bytes) override;
  void on_event(const Event& event) override;
  bool wants_blocks() const override { return false; }
  EventKinds ignores() const override { return kinds_of({EventKind::decision}); }
  void finish() override;
  std::vector<Finding> take_findings() override { return findings_.take(); }

  // Every match, before grouping, with the name of its set; for tests.
  using OnMatch = std::function<void(const AtomicSetMatch&, const std::string& set)>;
  void on_match(OnMatch on_match) { on_match_ = std::move(on_match); }
  const AtomicSetEngine& engine() const { return engine_; }
  // For who wants the units and their accesses (analysis/asset/).
  void tap(EngineTap& tap) { engine_.set_tap(&tap); }

 private:
  void access(const Event& event, std::uint64_t bytes, bool reads, bool writes);
  void touch(const Event& event, const AtomicSite& site, std::uint64_t address, unsigned granule,
             bool reads, bool writes);

  void report(const AtomicSetMatch& match);  // report.cpp
  std::string unit_name(const UnitAccess& entered) const;
  FindingUnit unit_of(const UnitAccess& entered) const;
  std::string set_name(const AtomicSetMatch& match) const;

  ExecutionState& state_;
  AtomicSetOptions options_;
  AtomicSetEngine engine_;
  SetLocations locations_;
  UnitTracker units_;
  FindingSet findings_;
  std::size_t places_ = 0;      // findings so far
  std::uint64_t not_kept_ = 0;  // for want of room
  OnMatch on_match_;
};

std::unique_ptr<Detector> make_atomset_detector(ExecutionState& state,
                                                const AnalysisOptions& options);

}  // namespace raddle
