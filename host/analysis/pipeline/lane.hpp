// Some detectors and what they need to know of the execution: names, ExecutionState, atomic
// blocks. Each lane of a pipeline has its own of that, and sees every event: lanes share nothing,
// so each can run on a thread of its own.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/model/blocks.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/model/semaphore_locks.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

class Lane final : public EventSink {
 public:
  explicit Lane(const AnalysisOptions& options);
  ~Lane() override;

  // `rank`: its place among all detectors of the pipeline.
  void add(std::unique_ptr<Detector> detector, std::size_t rank);
  ExecutionState& state() { return *state_; }
  const ExecutionState& state() const { return *state_; }
  const ObjectNames& names() const;

  void begin(const TraceHeader& header) override;
  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_image(const LoadedObject& image) override;
  void events(std::span<const Event> batch) override;
  void end(const TraceEnd& end) override;

  // After end(). What each detector said, each finding with its place.
  struct Said {
    std::size_t rank = 0;
    std::vector<Finding> findings;
    std::optional<BlockCounts> block_counts;
  };
  std::vector<Said> take_said() { return std::move(said_); }

 private:
  void look(const Event& event);
  void show(const Event& event);

  class Names;
  std::unique_ptr<Names> names_;
  SemaphoreLocks semaphores_;
  std::unique_ptr<ExecutionState> state_;
  Blocks blocks_;
  std::vector<std::unique_ptr<Detector>> detectors_;
  std::vector<std::size_t> ranks_;                             // of each
  std::array<std::vector<Detector*>, kEventKinds> wanted_by_;  // by EventKind
  std::vector<Detector*> of_blocks_;                           // those that listen to blocks
  std::vector<Said> said_;
};

// Finding::place from what is set in the finding: its kind, pattern and the steps' sites.
std::uint64_t finding_place(const ExecutionState& state, const Finding& finding);

}  // namespace raddle
