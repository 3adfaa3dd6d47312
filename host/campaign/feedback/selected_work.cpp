#include "host/campaign/feedback/selected_work.hpp"

#include <algorithm>
#include <set>

#include "protocol/generator.hpp"
#include "protocol/ops.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostSelections = 64;
constexpr std::size_t kMostThreads = 4096;  // that a plan tells of

using Places = std::vector<std::uint64_t>;  // sorted; empty: all

// Who created whom: threads are numbered in the order of their creation.
std::vector<std::uint16_t> parents_of(std::span<const StepRecord> log) {
  std::vector<std::uint16_t> parents = {raw(kMainThread)};
  for (const StepRecord& step : log) {
    if (step.op == OpKind::thread_create && parents.size() < kMostThreads)
      parents.push_back(raw(step.thread));
  }
  return parents;
}

std::vector<AimSite> selection(std::span<const StepRecord> log,
                               const std::vector<std::uint16_t>& parents, const Places& places) {
  std::vector<std::uint32_t> events(parents.size(), 0);
  for (const StepRecord& step : log) {
    const bool counts =
        step.op != OpKind::value_choice && !is_idle_op(step.op) &&
        (places.empty() || std::binary_search(places.begin(), places.end(), step.site));
    if (counts && raw(step.thread) < events.size()) ++events[raw(step.thread)];
  }
  std::vector<AimSite> aims;
  for (const std::uint64_t place : places)
    aims.push_back({.site = place, .context = 0, .role = AimRole::kSelected});
  for (std::size_t t = 0; t < events.size(); ++t) {
    const ThreadWork work{static_cast<std::uint16_t>(t), parents[t], events[t]};
    // Who has none may still create others.
    aims.push_back({.site = packed(work), .context = 0, .role = AimRole::kWork});
  }
  return aims;
}

}  // namespace

void SelectedWork::learn(std::span<const StepRecord> log, const Observation& shown) {
  if (!selections_.empty() || log.empty()) return;
  const std::vector<std::uint16_t> parents = parents_of(log);
  selections_.push_back(selection(log, parents, {}));
  std::set<Places> kinds;
  for (const UsedBy& used : shown.objects) {
    std::set<std::uint64_t> places(used.reads.begin(), used.reads.end());
    places.insert(used.writes.begin(), used.writes.end());
    places.insert(used.claims.begin(), used.claims.end());
    places.erase(0);  // nobody knows where that is
    if (places.empty() || kinds.size() == kMostSelections) continue;
    const Places sorted(places.begin(), places.end());
    if (kinds.insert(sorted).second) selections_.push_back(selection(log, parents, sorted));
  }
}

std::vector<AimSite> SelectedWork::aims_of(std::uint64_t seed) const {
  if (selections_.empty()) return {};
  // Not the numbers that the strategy itself draws from this seed.
  Generator generator(~seed);
  return selections_[generator.below(selections_.size())];
}

}  // namespace raddle
