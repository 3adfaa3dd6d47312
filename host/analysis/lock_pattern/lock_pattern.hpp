// The locking pattern of Park and Sen (2008) in a recorded execution: a thread takes a lock inside
// an atomic block, another thread takes it afterwards, and the first one takes it again inside the
// same block. Works on synchronisation alone. Of locks of readers and writers: a reader in between
// counts only if both of the others are writers.
//
// A static violation is where the block takes the lock first, and where it takes it again; whoever
// comes in between. A place where a block takes a lock again at all is a warning (Table 1 of the
// paper counts both).
//
// Blocks that only the runtime could see (kBlocksFrames) are not in a trace: for these the steps
// that the strategy named are checked to be such acquisitions, all of one lock.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "protocol/aim.hpp"

namespace raddle {

// Three acquisitions of one lock: in a block, by another thread, and in the block again.
struct LockPatternSteps {
  Event first{};
  PointId point{};
  Event other{};
  PointId other_point{};
  Event again{};
  PointId again_point{};
};

// What began the block, and where.
struct LockPatternBlock {
  Event entered{};
  PointId point{};
};

// The same for all executions of the same code.
std::uint64_t static_block(const ExecutionState& state, const AtomicBlock& block);

// Finding::place, and what is to be said of it. `block`: null if only the runtime saw it.
std::uint64_t lock_pattern_place(const ExecutionState& state, const LockPatternSteps& steps);
Finding lock_pattern_finding(const ExecutionState& state, const LockPatternSteps& steps,
                             const LockPatternBlock* block);

class LockPattern final : public Detector {
 public:
  LockPattern(ExecutionState& state, const Realised& named);

  void on_event(const Event& event) override;
  void on_block_begin(const AtomicBlock& block) override;
  void on_block_end(const AtomicBlock& block) override;
  // May come after its end: what was found in it is forgotten, as what would be found later.
  void on_block_abandoned(const AtomicBlock& block) override;
  std::vector<Finding> take_findings() override;

  // Places of static violations that were possible, whether or not they came about.
  std::vector<std::uint64_t> warned() const;

 private:
  struct Taken {
    Event first{};
    PointId point{};
    // The last one by somebody else since.
    bool between = false;
    Event other{};
    PointId other_point{};
  };
  struct Open {
    std::uint32_t depth = 0;
    Event entered{};  // what began the outermost block
    PointId entered_point{};
    std::uint64_t block = 0;               // the static one
    std::map<std::uint64_t, Taken> locks;  // in the outermost block that is open
  };

  // `in`: null for a block that only the runtime saw.
  void report(const Taken& taken, const Event& again, const Open* in);
  void check_named(const Event& acquire);
  LockPatternSteps steps_of(const Taken& taken, const Event& again) const;

  // Steps that the strategy named as one violation, as far as they were met.
  struct Named {
    std::uint64_t steps[3] = {};
    std::vector<Event> met;
    std::vector<PointId> points;
  };

  ExecutionState& state_;
  std::vector<Named> named_;
  std::map<ThreadIndex, Open> open_;
  std::map<std::uint64_t, std::uint64_t> warned_;  // with the block; 0: only the runtime saw it
  std::set<std::uint64_t> abandoned_;              // blocks
  FindingSet findings_;
};

}  // namespace raddle
