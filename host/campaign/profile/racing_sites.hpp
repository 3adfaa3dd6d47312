// The plain accesses of an instrumented program that race in some execution: they become decision
// points of all executions of the campaign (DecideKind::kRaces), since for all others the order in
// which threads synchronise is all that matters.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/race/all_races.hpp"
#include "host/campaign/profile/profile.hpp"

namespace raddle {

class RacingSites : public Collector {
 public:
  // `maps`: /proc/PID/maps of the worker's fork server.
  explicit RacingSites(std::string maps) : maps_(std::move(maps)) {}

  EventSink& begin() override;
  bool end(const Execution& execution) override;
  // Those found so far: the next execution then switches threads there, and shows what races only
  // in orders that would not come about otherwise. Null if nothing races.
  AimList aims() const override { return aims_; }

 protected:
  // For who wants more of the same executions: before an execution, and after it.
  virtual void add_detectors(Pipeline&) {}
  virtual bool look(const Pipeline&) { return false; }

  const std::string& maps() const { return maps_; }

 private:
  bool add(SiteId site);

  std::string maps_;
  std::unique_ptr<Pipeline> pipeline_;
  std::optional<TraceHeader> header_;  // of all executions; reading what is unseen takes a while
  AllRaces* places_ = nullptr;         // of the execution under way; the pipeline's
  std::set<std::uint64_t> addresses_;
  AimList aims_;
};

// Null without races, or for a program without hooks.
Result<AimList> find_racing_sites(Worker& worker, const ProfileOptions& options);

}  // namespace raddle
