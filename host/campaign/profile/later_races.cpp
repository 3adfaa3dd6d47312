#include "host/campaign/profile/later_races.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "host/campaign/profile/racing_sites.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// A recorded execution takes some milliseconds. The first ones differ most.
constexpr std::size_t kMostKept = 100;

}  // namespace

void LaterRaces::keep(const Execution& execution) {
  if (kept_.size() < kMostKept) kept_.push_back(without_report(execution));
}

Result<LaterRaces::Found> LaterRaces::find(Worker& worker,
                                           const std::function<RunOptions()>& running,
                                           const std::function<bool()>& is_over, AimList& known) {
  if (unsure_) return Found::kUnsure;
  RacingSites sites(worker.maps());
  for (const Execution& execution : kept_) {
    if (is_over()) return Found::kUnsure;
    RunOptions options = running();
    options.events = &sites.begin();
    const Result<Execution> again =
        replay_strictly(worker, execution, options, ReplayDetail::kOutcome);
    if (!again) return Error{again.error()};
    sites.end(*again);
    unsure_ = again->kind == OutcomeKind::kDiverged;
    if (unsure_) return Found::kUnsure;
  }
  kept_.clear();
  const AimList found = sites.aims();
  if (!found) return Found::kNothing;
  std::vector<PlanAim> all = known ? *known : std::vector<PlanAim>();
  const std::size_t before = all.size();
  for (const PlanAim& aim : *found)
    if (std::find(all.begin(), all.end(), aim) == all.end()) all.push_back(aim);
  if (all.size() == before) return Found::kNothing;
  known = std::make_shared<const std::vector<PlanAim>>(std::move(all));
  return Found::kPlaces;
}

}  // namespace raddle
