// The host's side of one shared region (protocol/shared_region.hpp): creates it, prepares it for
// each execution and copies out what an execution left. One worker owns one region; no locking.
// The target relies on the preparation: it resets nothing, whether the execution is a process or,
// with raddle::check, a function.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"
#include "protocol/plan.hpp"
#include "protocol/report.hpp"
#include "protocol/shared_region.hpp"

namespace raddle {

class HostRegion {
 public:
  // Room for that many records of each log. Memory is only used for what executions write.
  static Result<HostRegion> create(std::uint64_t log_capacity, std::uint64_t replay_capacity,
                                   std::uint64_t enabled_capacity = 0);

  HostRegion(HostRegion&& other) noexcept;
  HostRegion& operator=(HostRegion&&) = delete;
  ~HostRegion();

  // What the target opens; valid as long as this process lives and owns the region.
  std::string path() const;

  Live& live() { return region_->live; }
  SharedRegion& shared() { return *region_; }
  const Plan& plan() const { return region_->plan; }
  const Uncontrolled& uncontrolled() const { return region_->uncontrolled; }
  std::uint64_t log_capacity() const { return region_->log_capacity; }

  // Makes the region ready for one execution: plan, replay log, aims, all counters at zero. Only
  // what the last execution used is reset. Fails if the replay log or the aims do not fit.
  Result<bool> prepare(const Plan& plan, std::span<const StepRecord> replay,
                       std::span<const AimSite> aims = {});

  // The records that the execution has written so far. Valid until the next prepare().
  std::span<const StepRecord> log() const;

  // Kind of the report, and a copy of its used part; entries beyond its counts are not initialised.
  OutcomeKind reported() const { return region_->report.kind; }
  bool has_misuse() const { return region_->report.misuses > 0; }
  std::unique_ptr<Report> copy_report() const;

  // Wakes the target, which waits for the host to have read the report.
  void acknowledge();

 private:
  HostRegion(UniqueFd fd, SharedRegion* region, std::size_t bytes)
      : fd_(std::move(fd)), region_(region), bytes_(bytes) {}
  void discard_large_logs();

  UniqueFd fd_;
  SharedRegion* region_;
  std::size_t bytes_;
};

// Prepares a region of another process of ours, by its path, for one more execution of the same
// plan.
bool reset_region_at(const std::string& path);

// An empty report with only its fixed part set; for outcomes that the host itself decides.
std::unique_ptr<Report> empty_report();

}  // namespace raddle
