#include "host/campaign/profile/racing_sites.hpp"

#include <utility>

#include "host/process/aim_places.hpp"
#include "host/symbols/images/unseen_code.hpp"

namespace raddle {

EventSink& RacingSites::begin() {
  pipeline_ = std::make_unique<Pipeline>(AnalysisOptions{});
  auto places = std::make_unique<AllRaces>(pipeline_->state());
  places_ = places.get();
  pipeline_->add(std::move(places));
  add_detectors(*pipeline_);
  if (!header_) {
    header_.emplace();
    header_->unseen = synchronise_unseen(unseen_code(maps_));
  }
  pipeline_->begin(*header_);
  return *pipeline_;
}

bool RacingSites::add(SiteId site) {
  const std::uint64_t address = pipeline_->state().site(site).code;
  return address != 0 && addresses_.size() < kMaxAims && addresses_.insert(address).second;
}

bool RacingSites::end(const Execution&) {
  pipeline_->end({});
  bool grew = false;
  // Atomic operations decide anyway.
  for (const SiteId site : places_->plain()) grew |= add(site);
  const bool more = look(*pipeline_);
  if (!grew) return more;
  std::vector<PlanAim> aims;
  aims.reserve(addresses_.size());
  for (const std::uint64_t address : addresses_) aims.push_back(aim_at(address, maps_));
  aims_ = std::make_shared<const std::vector<PlanAim>>(std::move(aims));
  return true;
}

Result<AimList> find_racing_sites(Worker& worker, const ProfileOptions& options) {
  if (!worker.instrumented()) return AimList{};
  RacingSites sites(worker.maps());
  const Result<unsigned> executions = profile(worker, options, sites);
  if (!executions) return Error{executions.error()};
  return sites.aims();
}

}  // namespace raddle
