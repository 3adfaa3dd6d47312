#include "host/campaign/fuzz/candidate_rotation.hpp"

namespace raddle {

CandidateRotation::CandidateRotation(std::size_t candidates) : arms_(candidates) {
  if (candidates == 0) return;
  plan_batch();
  plan_batch();
}

// The one with the fewest tries that has not had all of them and did not come about yet.
bool CandidateRotation::untried(std::size_t& at) {
  bool found = false;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const Arm& arm = arms_[i];
    if (arm.given >= kTries || arm.came_about > 0) continue;
    if (!found || arm.given < arms_[at].given) at = i;
    found = true;
  }
  return found;
}

// Of those that came about, the one that had least for its rate. With one success and one failure
// more than it had, so that a single one does not make a rate of 1.
bool CandidateRotation::reached(std::size_t& at) const {
  bool found = false;
  double least = 0;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const Arm& arm = arms_[i];
    if (arm.came_about == 0) continue;
    const double rate = double(arm.came_about + 1) / double(arm.ended + 2);
    const double share = double(arm.given) / rate;
    if (!found || share < least) {
      at = i;
      least = share;
    }
    found = true;
  }
  return found;
}

bool CandidateRotation::unreached(std::size_t& at) {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    at = next_unreached_++ % arms_.size();
    if (arms_[at].came_about == 0) return true;
  }
  return false;
}

void CandidateRotation::plan_batch() {
  for (std::uint64_t slot = 0; slot < kBatch; ++slot) {
    std::size_t at = 0;
    const bool explores = slot % 2 == 0 && untried(at);
    if (!explores) {
      const bool any = reached(at);
      const bool rarely = any && ++turns_ % kRarely == 0;
      if (rarely && !unreached(at)) reached(at);
      if (!any && !untried(at)) unreached(at);
    }
    Arm& arm = arms_[at];
    ++arm.given;
    const bool look = arm.came_about == 0 && arm.looked < kMostLooks;
    assigned_.push_back({static_cast<std::uint32_t>(at), look});
  }
}

void CandidateRotation::ended(std::uint64_t execution, bool realised, bool seen) {
  if (execution >= assigned_.size()) return;
  Arm& arm = arms_[candidate_of(execution)];
  ++arm.ended;
  const bool look = realised && wants_look(execution);
  if (look) ++arm.looked;
  // What the detector has seen before is taken on the strategy's word.
  if (realised && (look ? seen : arm.came_about > 0)) ++arm.came_about;
  if ((execution + 1) % kBatch == 0) plan_batch();
}

}  // namespace raddle
