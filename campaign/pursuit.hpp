// The part of a campaign that has something in view: its profile, the candidates of a strategy that
// confirms, which execution is to bring about which of them, and what became of each.
#pragma once

#include <vector>

#include "campaign/candidates.hpp"
#include "campaign/fuzz.hpp"

namespace raddle {

class Pursuit {
 public:
  // `options` outlives it; its `targets` are set to what profile() returns before executions start.
  explicit Pursuit(const FuzzOptions& options);

  // Says which places are decision points in every execution, and finds the candidates.
  Result<TargetList> profile(Worker& worker);

  // The strategy brings about candidates; atom finds its own as it goes.
  bool confirms() const { return confirms_; }
  bool has_candidates() const { return !pursued_.empty(); }

  // For the execution with this seed; called by several threads.
  void prepare(Plan& plan, RunOptions& options) const;

  // An execution ended; in the order of seeds.
  void count(Execution& execution);

  // Replays the first realised execution of each candidate under the detector.
  Result<bool> confirm(Worker& worker, const RunOptions& options);

  std::vector<Pursued> take() { return std::move(pursued_); }

 private:
  std::size_t number_of(std::uint64_t seed) const {
    return static_cast<std::size_t>((seed - options_.first_seed) % pursued_.size());
  }

  const FuzzOptions& options_;
  bool confirms_ = false;
  std::vector<Pursued> pursued_;
  std::vector<TargetList> targets_;    // of each
  std::vector<Execution> executions_;  // the first realised one of each
};

}  // namespace raddle
