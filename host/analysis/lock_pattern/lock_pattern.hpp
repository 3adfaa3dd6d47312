// The locking pattern of Park and Sen (2008) in a recorded execution: a thread takes a lock inside
// an atomic block, another thread takes it afterwards, and the first one takes it again inside the
// same block. Works on synchronisation alone. Of locks of readers and writers: a reader in between
// counts only if both of the others are writers.
//
// Blocks that only the runtime could see (kBlocksFrames) are not in a trace: for these the steps
// that the strategy named are checked to be such acquisitions, all of one lock.
#pragma once

#include <map>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "protocol/aim.hpp"

namespace raddle {

class LockPattern final : public Detector {
 public:
  LockPattern(ExecutionState& state, const Realised& named) : state_(state), named_(named) {}

  void on_event(const Event& event) override;
  void on_block_begin(const AtomicBlock& block) override;
  void on_block_end(const AtomicBlock& block) override;
  std::vector<Finding> take_findings() override { return findings_.take(); }

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
    Event entered{};                       // what began the outermost block
    std::map<std::uint64_t, Taken> locks;  // in the outermost block that is open
  };

  // `entered`: null for a block that only the runtime saw.
  void report(const Taken& taken, const Event& again, const Event* entered);
  FindingUnit block(const Taken& taken, const Event* entered) const;
  void check_named(const Event& acquire);

  ExecutionState& state_;
  Realised named_;
  std::map<ThreadIndex, Open> open_;
  std::vector<Event> met_;  // of the named steps
  std::vector<PointId> met_points_;
  FindingSet findings_;
};

}  // namespace raddle
