// Memory that is used after it was freed. It happened in this execution, so it is certain, whatever
// orders the two; that an access *may* come after the free is the race detector's business, and
// where locks order the two, a matter of possible_uses.hpp.
//
// The block need not have been seen allocated: the program may have made it before it was watched.
// After its free its bytes are watched until they are
// allocated anew; large blocks are not, since the C library gives them back to the system, which
// may use their addresses for something that no event shows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

// Finding::place of a use after a free.
std::uint64_t place_of_use(const ExecutionState& state, SiteId free, SiteId use);

class LifetimeDetector final : public Detector {
 public:
  explicit LifetimeDetector(ExecutionState& state) : state_(state), freed_(*this) {}
  void on_event(const Event& event) override;
  bool wants_blocks() const override { return false; }
  EventKinds ignores() const override {
    return kScopes |
           kinds_of({EventKind::decision, EventKind::fork, EventKind::join, EventKind::acquire,
                     EventKind::release, EventKind::wake, EventKind::notify, EventKind::signal,
                     EventKind::await, EventKind::fence, EventKind::destroy});
  }
  std::vector<Finding> take_findings() override { return findings_.take(); }

  // Tests see every use: the event, and the one that freed what it touches.
  struct Use {
    std::uint64_t freed = 0;  // Event::step
    std::uint64_t used = 0;
  };
  std::vector<Use>* all_uses = nullptr;

  // For the shadow map: of a byte of a block that was freed.
  struct Cell {
    PointId point{};  // kNoPoint: it was not
    std::uint32_t step = 0;
    std::uint32_t name = 0;  // number + 1 in names_, 0: none
  };
  static Cell clone(const Cell& cell) { return cell; }
  static void drop(Cell&) {}

 private:
  void allocate(const Event& event);
  void free(const Event& event);
  void access(const Event& event);
  void freed_again(const Event& event);
  void describe(const Event& event, const Cell& freed);

  ExecutionState& state_;
  std::unordered_map<std::uint64_t, std::uint64_t> blocks_;  // that live: address, bytes
  ShadowMap<Cell, LifetimeDetector> freed_;
  std::vector<std::string> names_;  // of blocks, as they were called when they were freed
  FindingSet findings_;
};

std::unique_ptr<Detector> make_lifetime_detector(ExecutionState& state,
                                                 const AnalysisOptions& options);

}  // namespace raddle
