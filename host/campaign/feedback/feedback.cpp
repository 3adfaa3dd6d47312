#include "host/campaign/feedback/feedback.hpp"

#include <memory>
#include <utility>

#include "host/process/aim_places.hpp"

namespace raddle {
namespace {

bool is_place(const AimSite& aim) { return aim.role != AimRole::kWork && aim.site != 0; }

}  // namespace

Guide Feedback::next(const StrategyEntry& strategy, std::uint64_t seed) {
  Guide guide;
  switch (strategy.learns) {
    case Learns::kNothing:
      break;
    case Learns::kWork:
      guide.aims = work_.aims_of(seed);
      break;
    case Learns::kReadsFrom:
      guide.schedule = schedules_.next();
      guide.aims = schedules_.aims_of(guide.schedule);
      break;
  }
  return guide;
}

std::size_t Feedback::ended(const Guide& guide, std::span<const StepRecord> log,
                            const Observation& shown) {
  work_.learn(log, shown);
  return schedules_.ended(guide.schedule, shown);
}

AimList with_guide(const AimList& own, const Guide& guide, std::span<const LoadedObject> loaded) {
  if (guide.aims.empty()) return own;
  auto aims = std::make_shared<std::vector<PlanAim>>();
  if (own) *aims = *own;
  for (const AimSite& site : guide.aims) {
    if (aims->size() == kMaxAims) break;
    PlanAim aim = is_place(site) ? aim_at(site.site, loaded) : PlanAim{.offset = site.site};
    aim.role = site.role;
    aim.thread = site.thread;
    aim.order = site.order;
    aim.location = site.location;
    aims->push_back(std::move(aim));
  }
  return aims;
}

}  // namespace raddle
