#include "host/campaign/hunt/later_races.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
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

std::optional<bool> LaterRaces::find(HuntState& state) {
  if (unsure_) return std::nullopt;
  Worker& worker = *state.workers.front();
  RacingSites sites(worker.maps());
  for (const Execution& execution : kept_) {
    if (state.stopped() || state.elapsed() > state.budget()) return std::nullopt;
    RunOptions running = state.running(nullptr);
    running.events = &sites.begin();
    const Result<Execution> again =
        replay_strictly(worker, execution, running, ReplayDetail::kOutcome);
    if (!again) {
      state.error = again.error();
      return std::nullopt;
    }
    sites.end(*again);
    unsure_ = again->kind == OutcomeKind::kDiverged;
    if (unsure_) return std::nullopt;
  }
  kept_.clear();
  const AimList found = sites.aims();
  if (!found) return false;
  std::vector<PlanAim> all = state.racing ? *state.racing : std::vector<PlanAim>();
  const std::size_t before = all.size();
  for (const PlanAim& aim : *found)
    if (std::find(all.begin(), all.end(), aim) == all.end()) all.push_back(aim);
  if (all.size() == before) return false;
  state.racing = std::make_shared<const std::vector<PlanAim>>(std::move(all));
  return true;
}

}  // namespace raddle
