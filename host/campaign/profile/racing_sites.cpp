#include "host/campaign/profile/racing_sites.hpp"

#include <utility>

#include "host/process/target_places.hpp"

namespace raddle {

EventSink& RacingSites::begin() {
  races_.clear();
  pipeline_ = std::make_unique<Pipeline>(AnalysisOptions{});
  auto detector = std::make_unique<RaceDetector>(pipeline_->world());
  detector->all_races = &races_;
  pipeline_->add(std::move(detector));
  add_detectors(*pipeline_);
  pipeline_->begin({});
  return *pipeline_;
}

bool RacingSites::add(const Event& access) {
  // Atomic operations decide anyway.
  if (is_atomic(access.kind)) return false;
  const std::uint64_t address = pipeline_->world().site(access.site).code;
  return address != 0 && addresses_.size() < kMaxTargets && addresses_.insert(address).second;
}

bool RacingSites::end(const Execution&) {
  pipeline_->end({});
  bool grew = false;
  for (const RaceDetector::Race& race : races_) {
    grew |= add(race.earlier);
    grew |= add(race.later);
  }
  const bool more = look(*pipeline_);
  if (!grew) return more;
  std::vector<PlanTarget> targets;
  targets.reserve(addresses_.size());
  for (const std::uint64_t address : addresses_) targets.push_back(target_at(address, maps_));
  targets_ = std::make_shared<const std::vector<PlanTarget>>(std::move(targets));
  return true;
}

Result<TargetList> find_racing_sites(Worker& worker, const ProfileOptions& options) {
  if (!worker.instrumented()) return TargetList{};
  RacingSites sites(worker.maps());
  const Result<unsigned> executions = profile(worker, options, sites);
  if (!executions) return Error{executions.error()};
  return sites.targets();
}

}  // namespace raddle
