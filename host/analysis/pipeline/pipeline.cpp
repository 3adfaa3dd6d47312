#include "host/analysis/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "host/analysis/pipeline/fan_out.hpp"

namespace raddle {

namespace {

// Which of the chosen detectors go to which lane, so that the lanes cost about the same: the
// costliest first, each to the lane that has least.
std::vector<std::size_t> assign_lanes(const std::vector<const DetectorEntry*>& chosen,
                                      std::size_t lanes) {
  std::vector<std::size_t> order(chosen.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return chosen[a]->cost > chosen[b]->cost; });
  std::vector<std::size_t> lane_of(chosen.size());
  std::vector<unsigned> cost(lanes);
  for (const std::size_t i : order) {
    const auto least = std::min_element(cost.begin(), cost.end());
    lane_of[i] = static_cast<std::size_t>(least - cost.begin());
    *least += chosen[i]->cost;
  }
  return lane_of;
}

}  // namespace

Pipeline::Pipeline(const AnalysisOptions& options) {
  lanes_.push_back(std::make_unique<Lane>(options));
}

Pipeline::~Pipeline() = default;

void Pipeline::add(std::unique_ptr<Detector> detector) {
  lanes_.front()->add(std::move(detector), detectors_++);
}

Result<std::unique_ptr<Pipeline>> Pipeline::make(const AnalysisOptions& options) {
  auto pipeline = std::make_unique<Pipeline>(options);
  const std::vector<DetectorEntry>& registry = detector_registry();
  for (const std::string& name : options.detectors) {
    const bool known = std::any_of(registry.begin(), registry.end(),
                                   [&](const DetectorEntry& entry) { return name == entry.name; });
    if (known) continue;
    std::string names;
    for (const DetectorEntry& entry : registry)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    return Error{fmt::format("there is no detector '{}'; there are: {}", name, names)};
  }
  // In the registry's order, each once, whatever the user's order.
  std::vector<const DetectorEntry*> chosen;
  for (const DetectorEntry& entry : registry) {
    const auto& wanted = options.detectors;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), entry.name) != wanted.end())
      chosen.push_back(&entry);
  }
  const std::size_t lanes = std::clamp<std::size_t>(options.threads, 1, chosen.size());
  while (pipeline->lanes_.size() < lanes)
    pipeline->lanes_.push_back(std::make_unique<Lane>(options));
  const std::vector<std::size_t> lane_of = assign_lanes(chosen, lanes);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Lane& lane = *pipeline->lanes_[lane_of[i]];
    lane.add(chosen[i]->make(lane.state(), options), i);
  }
  if (lanes > 1) {
    std::vector<EventSink*> sinks;
    for (const auto& lane : pipeline->lanes_) sinks.push_back(lane.get());
    pipeline->fan_out_ = std::make_unique<FanOut>(std::move(sinks));
  }
  return pipeline;
}

EventSink& Pipeline::sink() {
  if (fan_out_) return *fan_out_;
  return *lanes_.front();
}

void Pipeline::begin(const TraceHeader& header) { sink().begin(header); }

void Pipeline::define_site(SiteId id, const Site& site) { sink().define_site(id, site); }

void Pipeline::define_thread(ThreadId id, const std::string& name) {
  sink().define_thread(id, name);
}

void Pipeline::define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  sink().define_object(address, bytes, name);
}

void Pipeline::define_member(const std::string& cls, std::uint32_t offset,
                             const std::string& member) {
  sink().define_member(cls, offset, member);
}

void Pipeline::define_image(const LoadedObject& image) { sink().define_image(image); }

void Pipeline::events(std::span<const Event> batch) { sink().events(batch); }

void Pipeline::end(const TraceEnd& end) {
  sink().end(end);
  std::vector<Lane::Said> all;
  for (const auto& lane : lanes_) {
    for (Lane::Said& said : lane->take_said()) all.push_back(std::move(said));
    notes_.insert(notes_.end(), lane->state().notes().begin(), lane->state().notes().end());
  }
  std::sort(all.begin(), all.end(),
            [](const Lane::Said& a, const Lane::Said& b) { return a.rank < b.rank; });
  std::sort(notes_.begin(), notes_.end());
  std::vector<Finding> findings;
  for (Lane::Said& said : all) {
    std::move(said.findings.begin(), said.findings.end(), std::back_inserter(findings));
    if (said.block_counts) block_counts_ = said.block_counts;
  }
  findings_ = group_findings(std::move(findings));
}

std::vector<Finding> group_findings(std::vector<Finding> findings) {
  std::vector<Finding> groups;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (Finding& finding : findings) {
    const auto [at, is_new] = places.try_emplace(finding.place, groups.size());
    if (is_new)
      groups.push_back(std::move(finding));
    else
      groups[at->second].count += finding.count;
  }
  // What may be ordered unseen, or meant so, is no better evidence than a lockset.
  const auto rank = [](const Finding& finding) {
    const int known = entry_of(finding.kind).rank;
    const bool certain = finding.maybe_ordered_by.empty() && !finding.meant_as_atomic;
    return certain ? known : std::max(known, entry_of(FindingKind::lockset).rank);
  };
  std::sort(groups.begin(), groups.end(), [&](const Finding& a, const Finding& b) {
    return std::tuple(rank(a), entry_of(a.kind).rank, ~a.count, a.place) <
           std::tuple(rank(b), entry_of(b.kind).rank, ~b.count, b.place);
  });
  return groups;
}

}  // namespace raddle
