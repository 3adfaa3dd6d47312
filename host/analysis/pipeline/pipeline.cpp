#include "host/analysis/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "host/trace/object_names.hpp"

namespace raddle {

class Pipeline::Names : public ObjectNames {
 public:
  Namer namer() const {
    Namer namer;
    namer.object = [this](std::uint64_t address) {
      return name_kind(address) == NameKind::kAddress ? std::string() : name(address);
    };
    namer.object_of = [this](const Event& event) {
      // A block that was just freed has its name for this event alone.
      const bool asked = event.kind != EventKind::decision && event.kind != EventKind::free;
      const bool address = asked && name_kind(event) == NameKind::kAddress;
      return address ? std::string() : name(event);
    };
    namer.thread = [this](ThreadId id) { return thread_name(id); };
    return namer;
  }
};

Pipeline::Pipeline(const AnalysisOptions& options)
    : names_(std::make_unique<Names>()),
      state_(std::make_unique<ExecutionState>(names_->namer(), options.max_problems)),
      blocks_(*state_, options.atomic) {}

Pipeline::~Pipeline() = default;

const ObjectNames& Pipeline::names() const { return *names_; }

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
  for (const DetectorEntry& entry : registry) {
    const auto& wanted = options.detectors;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), entry.name) != wanted.end())
      pipeline->add(entry.make(*pipeline->state_, options));
  }
  return pipeline;
}

void Pipeline::begin(const TraceHeader& header) {
  names_->begin(header);
  state_->set_unseen(header.unseen);
}

void Pipeline::define_site(SiteId id, const Site& site) {
  names_->define_site(id, site);
  state_->define_site(id, site);
}

void Pipeline::define_thread(ThreadId id, const std::string& name) {
  names_->define_thread(id, name);
}

void Pipeline::define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  names_->define_object(address, bytes, name);
  for (const auto& detector : detectors_) detector->on_object(address, bytes);
}

void Pipeline::define_member(const std::string& cls, std::uint32_t offset,
                             const std::string& member) {
  names_->define_member(cls, offset, member);
}

void Pipeline::define_image(const LoadedObject& image) { names_->define_image(image); }

void Pipeline::events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    names_->event(event);
    if (is_access(event.kind) || event.kind == EventKind::decision) {
      state_->on_event(event);
      for (const auto& detector : detectors_) detector->on_event(event);
      continue;
    }
    const SemaphoreLocks::Seen seen = semaphores_.see(event);
    if (seen.gives_up) look(seen.given_up);
    look(seen.event);
  }
}

void Pipeline::look(const Event& event) {
  state_->on_event(event);
  for (const Blocks::Change& change : blocks_.before(event)) {
    for (const auto& detector : detectors_) {
      if (change.what == Blocks::Change::What::kEnd)
        detector->on_block_end(change.block);
      else
        detector->on_block_abandoned(change.block);
    }
  }
  for (const auto& detector : detectors_) detector->on_event(event);
  for (const Blocks::Change& change : blocks_.after(event))
    for (const auto& detector : detectors_) detector->on_block_begin(change.block);
}

void Pipeline::end(const TraceEnd&) {
  std::vector<Finding> all;
  for (const auto& detector : detectors_) {
    detector->finish();
    for (Finding& finding : detector->take_findings()) {
      if (finding.place == 0) finding.place = finding_place(*state_, finding);
      all.push_back(std::move(finding));
    }
    if (const std::optional<BlockCounts> counts = detector->block_counts()) block_counts_ = counts;
  }
  findings_ = group_findings(std::move(all));
}

std::uint64_t finding_place(const ExecutionState& state, const Finding& finding) {
  std::uint64_t place = mix(std::uint64_t(finding.kind), std::uint64_t(finding.pattern));
  for (const FindingStep& step : finding.steps) place = mix(place, state.stable(step.event.site));
  return place;
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
