// The part of a campaign that has something in view: its profile, the candidates of a strategy that
// confirms, which execution is to bring about which of them, and what became of each.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/campaign/confirm/candidates.hpp"
#include "host/campaign/fuzz/candidate_rotation.hpp"
#include "host/campaign/fuzz/created_violations.hpp"
#include "host/campaign/fuzz/fuzz.hpp"

namespace raddle {

class CandidateTracker {
 public:
  // `options` outlives it; its `aims` are set to what profile() returns before executions start.
  explicit CandidateTracker(const FuzzOptions& options);

  // Says which places are decision points in every execution, and finds the candidates.
  Result<AimList> profile(Worker& worker);

  // The strategy brings about candidates; atom finds its own as it goes.
  bool confirms() const { return confirms_; }
  bool has_candidates() const { return !tallies_.empty(); }
  unsigned profiled() const { return profiled_; }  // executions that were searched for candidates

  // Whether it is known yet what the execution with this number, from 0, is to bring about: earlier
  // ones may have to be counted first.
  bool may_start(std::uint64_t execution) const;

  // For the execution with this seed; called by several threads, as is look().
  void prepare(Plan& plan, RunOptions& options) const;

  // What the detector says of an execution, which is replayed for it if need be.
  struct Look {
    bool looked = false;
    std::vector<std::uint32_t> seen;  // candidates
    Confirmation confirmation;        // of the one that the execution was to bring about
    CreatedViolations::Look created;  // violations of atomicity
  };
  Result<Look> look(Worker& worker, const Execution& execution, const RunOptions& options) const;

  // An execution ended; in the order of seeds.
  void count(const Execution& execution, Look look);

  // Executions in which the detector saw a candidate, of those that it looked at.
  std::uint64_t observed() const { return created_ ? created_->violating() : observed_; }
  // Of a campaign for violations of atomicity.
  std::optional<AtomicityCounts> atomicity() const {
    return created_ ? std::optional(created_->counts()) : std::nullopt;
  }

  std::vector<CandidateTally> take() { return created_ ? created_->take() : std::move(tallies_); }

 private:
  // The candidate of the execution with this seed.
  std::size_t number_of(std::uint64_t seed) const;

  const FuzzOptions& options_;
  bool confirms_ = false;
  unsigned profiled_ = 0;
  std::unique_ptr<CreatedViolations> created_;  // for violations of atomicity, which has no others
  std::vector<CandidateTally> tallies_;
  std::vector<AimList> aims_;  // of each; none if the strategy has no candidate in view
  std::uint64_t observed_ = 0;
  mutable std::mutex mutex_;
  std::optional<CandidateRotation> rotation_;  // guarded by mutex_
};

}  // namespace raddle
