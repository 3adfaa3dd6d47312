// The locking pattern of lock_pattern.hpp where an execution need not show it: two acquisitions of
// a lock, one after the other, in one atomic block, and one by another thread anywhere. Whether the
// third can come between the first two is for others to say (a solver). Works on synchronisation
// alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "host/analysis/lock_pattern/lock_pattern.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"

namespace raddle {

struct LockCandidate {
  Finding finding;  // what LockPattern would say
  // Event::step of the three, in the pattern's order, for the first choices at these places.
  std::vector<std::vector<std::uint64_t>> choices;
};

class LockCandidates final : public Detector {
 public:
  LockCandidates(ExecutionState& state, std::size_t max_choices)
      : state_(state), max_choices_(max_choices) {}

  void on_event(const Event& event) override;
  void on_block_begin(const AtomicBlock& block) override;
  void on_block_end(const AtomicBlock& block) override;
  void on_block_abandoned(const AtomicBlock& block) override;
  void finish() override;
  std::vector<Finding> take_findings() override { return {}; }

  // After finish(), in a deterministic order.
  const std::vector<LockCandidate>& candidates() const { return candidates_; }

 private:
  static constexpr std::size_t kMostAcquisitions = 2000;  // of one lock, that are looked at

  struct Acquisition {
    Event event{};
    PointId point{};
  };
  struct Twice {
    Acquisition first;
    Acquisition again;
    LockPatternBlock entered;
    std::uint64_t block = 0;  // the static one
  };
  struct Open {
    std::uint32_t depth = 0;
    LockPatternBlock entered;                    // the outermost one
    std::uint64_t block = 0;                     // the static one
    std::map<std::uint64_t, Acquisition> locks;  // the last in it
  };

  void add(const Twice& twice, const Acquisition& other);

  ExecutionState& state_;
  std::size_t max_choices_;
  std::map<ThreadIndex, Open> open_;
  std::map<std::uint64_t, std::vector<Acquisition>> all_;  // by lock
  std::map<std::uint64_t, std::vector<Twice>> twice_;      // by lock
  std::set<std::uint64_t> abandoned_;                      // static blocks
  std::map<std::uint64_t, std::size_t> index_;             // by place, to candidates_
  std::vector<LockCandidate> candidates_;
};

}  // namespace raddle
