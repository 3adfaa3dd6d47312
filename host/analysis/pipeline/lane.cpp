#include "host/analysis/pipeline/lane.hpp"

#include <utility>

namespace raddle {

class Lane::Names : public ObjectNames {
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

Lane::Lane(const AnalysisOptions& options)
    : names_(std::make_unique<Names>()),
      state_(std::make_unique<ExecutionState>(names_->namer(), options.max_problems)),
      blocks_(*state_, options.atomic) {}

Lane::~Lane() = default;

const ObjectNames& Lane::names() const { return *names_; }

void Lane::add(std::unique_ptr<Detector> detector, std::size_t rank) {
  const EventKinds ignored = detector->ignores();
  for (std::size_t kind = 0; kind < wanted_by_.size(); ++kind)
    if (!contains(ignored, static_cast<EventKind>(kind)))
      wanted_by_[kind].push_back(detector.get());
  if (detector->wants_blocks()) of_blocks_.push_back(detector.get());
  detectors_.push_back(std::move(detector));
  ranks_.push_back(rank);
}

void Lane::begin(const TraceHeader& header) {
  names_->begin(header);
  state_->set_unseen(header.unseen);
}

void Lane::define_site(SiteId id, const Site& site) {
  names_->define_site(id, site);
  state_->define_site(id, site);
}

void Lane::define_thread(ThreadId id, const std::string& name) { names_->define_thread(id, name); }

void Lane::define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  names_->define_object(address, bytes, name);
  for (const auto& detector : detectors_) detector->on_object(address, bytes);
}

void Lane::define_member(const std::string& cls, std::uint32_t offset, const std::string& member) {
  names_->define_member(cls, offset, member);
}

void Lane::define_image(const LoadedObject& image) { names_->define_image(image); }

void Lane::events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    names_->event(event);
    if (is_access(event.kind) || event.kind == EventKind::decision) {
      state_->on_event(event);
      show(event);
      continue;
    }
    const SemaphoreLocks::Seen seen = semaphores_.see(event);
    if (seen.gives_up) look(seen.given_up);
    look(seen.event);
  }
}

void Lane::show(const Event& event) {
  const auto kind = static_cast<std::size_t>(event.kind);
  if (kind >= wanted_by_.size()) return;  // whoever feeds us need not have looked
  for (Detector* detector : wanted_by_[kind]) detector->on_event(event);
}

void Lane::look(const Event& event) {
  state_->on_event(event);
  if (of_blocks_.empty()) return show(event);
  for (const Blocks::Change& change : blocks_.before(event)) {
    for (Detector* detector : of_blocks_) {
      if (change.what == Blocks::Change::What::kEnd)
        detector->on_block_end(change.block);
      else
        detector->on_block_abandoned(change.block);
    }
  }
  show(event);
  for (const Blocks::Change& change : blocks_.after(event))
    for (Detector* detector : of_blocks_) detector->on_block_begin(change.block);
}

void Lane::end(const TraceEnd&) {
  for (std::size_t i = 0; i < detectors_.size(); ++i) {
    Detector& detector = *detectors_[i];
    detector.finish();
    Said said{ranks_[i], detector.take_findings(), detector.block_counts()};
    for (Finding& finding : said.findings)
      if (finding.place == 0) finding.place = finding_place(*state_, finding);
    said_.push_back(std::move(said));
  }
}

std::uint64_t finding_place(const ExecutionState& state, const Finding& finding) {
  std::uint64_t place = mix(std::uint64_t(finding.kind), std::uint64_t(finding.pattern));
  for (const FindingStep& step : finding.steps) place = mix(place, state.stable(step.event.site));
  return place;
}

}  // namespace raddle
