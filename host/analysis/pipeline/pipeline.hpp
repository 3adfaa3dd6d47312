// One pass over an execution: ExecutionState, then the atomic blocks, then every chosen detector,
// event by event. The same for a live stream and for a trace file. Afterwards findings() has what
// they said: grouped by place with counts, worst first, and the same on every run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/model/blocks.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/model/semaphore_locks.hpp"
#include "host/base/result.hpp"
#include "host/trace/event_sink.hpp"

namespace raddle {

class ObjectNames;

// One line in the table of registry.cpp.
struct DetectorEntry {
  const char* name;     // for --detector
  const char* summary;  // for --help
  bool needs_accesses;  // says nothing of an execution of which only synchronisation is known
  // `state` outlives the detector.
  std::unique_ptr<Detector> (*make)(ExecutionState& state, const AnalysisOptions& options);
};
const std::vector<DetectorEntry>& detector_registry();

class Pipeline final : public EventSink {
 public:
  // An error names a detector that does not exist, and those that do.
  static Result<std::unique_ptr<Pipeline>> make(const AnalysisOptions& options);
  // Without detectors; for tests, which add() their own, made with state().
  explicit Pipeline(const AnalysisOptions& options);
  ~Pipeline() override;
  void add(std::unique_ptr<Detector> detector) { detectors_.push_back(std::move(detector)); }
  ExecutionState& state() { return *state_; }
  const ExecutionState& state() const { return *state_; }

  void begin(const TraceHeader& header) override;
  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_image(const LoadedObject& image) override;
  void events(std::span<const Event> batch) override;
  void end(const TraceEnd& end) override;

  // What sites and threads are called.
  const ObjectNames& names() const;

  // After end(). Complete.
  const std::vector<Finding>& findings() const { return findings_; }
  // Of the detector that judges every atomic block, if it was asked for.
  const std::optional<BlockCounts>& block_counts() const { return block_counts_; }
  // Where the stream was malformed; see ExecutionState::problems().
  const std::vector<std::string>& problems() const { return state_->problems(); }
  // Bounds that were hit; see ExecutionState::notes().
  const std::vector<std::string>& notes() const { return state_->notes(); }

 private:
  void look(const Event& event);

  class Names;
  std::unique_ptr<Names> names_;
  SemaphoreLocks semaphores_;
  std::unique_ptr<ExecutionState> state_;
  Blocks blocks_;
  std::vector<std::unique_ptr<Detector>> detectors_;
  std::vector<Finding> findings_;
  std::optional<BlockCounts> block_counts_;
};

// Findings with the same place become one with their counts added, the first one's steps stay.
// Worst first: by kind (a race in the memory model before a pattern that may be meant), then by
// count, then by place.
std::vector<Finding> group_findings(std::vector<Finding> findings);

// Finding::place from what is set in the finding: its kind, pattern and the steps' sites.
std::uint64_t finding_place(const ExecutionState& state, const Finding& finding);

}  // namespace raddle
