#include "host/campaign/predict/order_candidates.hpp"

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/lock_pattern/lock_candidates.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

// Choices of accesses at the same places: loops have many, and mostly one answer for all.
constexpr std::size_t kMostChoices = 4;

}  // namespace

std::uint8_t predicted_blocks() { return kBlocksAnnotated | kBlocksLocks | kBlocksFunctions; }

Result<std::vector<OrderCandidate>> order_candidates(Worker& worker, const Execution& recorded,
                                                     const RunOptions& running,
                                                     const OrderCandidateOptions& options) {
  Execution with_blocks;
  with_blocks.plan.atomic_blocks = predicted_blocks();
  Pipeline pipeline(analysis_of(with_blocks));
  AssetOptions asset_options{.joint = options.joint};
  asset_options.relaxed_order = false;
  asset_options.max_choices = kMostChoices;
  auto owned_asset = std::make_unique<AssetDetector>(pipeline.state(), asset_options);
  auto owned_locks = std::make_unique<LockCandidates>(pipeline.state(), kMostChoices);
  const AssetDetector& asset = *owned_asset;
  const LockCandidates& locks = *owned_locks;
  pipeline.add(std::move(owned_asset));
  pipeline.add(std::move(owned_locks));
  pipeline.begin({});
  RunOptions listening = running;
  listening.events = &pipeline;
  const Result<Execution> again =
      replay_strictly(worker, recorded, listening, ReplayDetail::kOutcome);
  if (!again) return Error{again.error()};
  pipeline.end({});
  std::vector<OrderCandidate> found;
  const auto add = [&](const Finding& finding, std::uint64_t key, const auto& choices) {
    if (options.wants && !options.wants(finding, pipeline.state())) return;
    OrderCandidate one;
    one.candidate.sought = sought_of(pipeline.state(), finding);
    one.candidate.key = key;
    one.candidate.finding = finding;
    // An event's step is that of its own decision.
    one.orders = choices;
    found.push_back(std::move(one));
  };
  for (const LockCandidate& one : locks.candidates()) {
    if (options.sections) add(one.finding, one.finding.place, one.choices);
  }
  for (const AssetCandidate& one : asset.candidates()) {
    if (options.atomic_sets) add(one.finding, one.key, one.choices);
  }
  return found;
}

}  // namespace raddle
