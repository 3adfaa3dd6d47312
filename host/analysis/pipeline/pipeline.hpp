// One pass over an execution: ExecutionState, then the atomic blocks, then every chosen detector,
// event by event. The same for a live stream and for a trace file. Afterwards findings() has what
// they said: grouped by place with counts, worst first, and the same on every run, on however many
// threads (AnalysisOptions::threads).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/pipeline/lane.hpp"
#include "host/base/result.hpp"

namespace raddle {

class FanOut;

// One line in the table of registry.cpp.
struct DetectorEntry {
  const char* name;     // for --detector
  const char* summary;  // for --help
  bool needs_accesses;  // says nothing of an execution of which only synchronisation is known
  unsigned cost;        // of an event, in some unit: what lanes are balanced by
  // `state` outlives the detector.
  std::unique_ptr<Detector> (*make)(ExecutionState& state, const AnalysisOptions& options);
};
const std::vector<DetectorEntry>& detector_registry();

class Pipeline final : public EventSink {
 public:
  // An error names a detector that does not exist, and those that do.
  static Result<std::unique_ptr<Pipeline>> make(const AnalysisOptions& options);
  // Without detectors; for who add()s their own, made with state(). On the caller's thread.
  explicit Pipeline(const AnalysisOptions& options);
  ~Pipeline() override;
  void add(std::unique_ptr<Detector> detector);
  // Of the first lane; all see the same. With more than one thread: not between the first event and
  // end(), and so for names().
  ExecutionState& state() { return lanes_.front()->state(); }
  const ExecutionState& state() const { return lanes_.front()->state(); }

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
  const ObjectNames& names() const { return lanes_.front()->names(); }

  // After end(). Complete.
  const std::vector<Finding>& findings() const { return findings_; }
  // Of the detector that judges every atomic block, if it was asked for.
  const std::optional<BlockCounts>& block_counts() const { return block_counts_; }
  // Where the stream was malformed; see ExecutionState::problems().
  const std::vector<std::string>& problems() const { return state().problems(); }
  // Bounds that were hit, in the order of the alphabet; see ExecutionState::notes().
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  EventSink& sink();

  std::vector<std::unique_ptr<Lane>> lanes_;  // at least one
  std::unique_ptr<FanOut> fan_out_;           // if there are several
  std::size_t detectors_ = 0;
  std::vector<Finding> findings_;
  std::vector<std::string> notes_;
  std::optional<BlockCounts> block_counts_;
};

// Findings with the same place become one with their counts added, the first one's steps stay.
// Worst first: by kind (a race in the memory model before a pattern that may be meant), then by
// count, then by place.
std::vector<Finding> group_findings(std::vector<Finding> findings);

}  // namespace raddle
