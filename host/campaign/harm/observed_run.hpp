// What the harm check wants to know of one recorded execution: where units of work, atomic blocks
// and critical sections begin and end, and every access with its value. A detector without
// findings; it sits in a pipeline beside the one that confirms.
//
// Times are steps: how many decisions of the choice log were made when something had happened, its
// own included. (Event::step does not count its own.)
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/analysis/atomset/atomset.hpp"
#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"

namespace raddle {

inline constexpr std::uint64_t kNeverEnds = ~std::uint64_t{0};

// A stretch of one thread.
struct ObservedSpan {
  ThreadId thread{};
  std::uint64_t entered = 0;  // FindingUnit::step
  std::uint64_t begin = 0;    // where its thread can be stopped before it does anything to others
  std::uint64_t end = 0;      // after its last access, once the locks that it took are free
  std::uint64_t lock = 0;     // of a critical section, and of a block that is a lock's region
  std::uint64_t place = 0;    // where that takes its lock: ExecutionState::stable()
};

struct ObservedAccess {
  ThreadId thread{};
  std::uint64_t step = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
  bool known = false;  // the value is
  std::uint64_t value = 0;
  std::uint64_t place = 0;  // ExecutionState::stable()
};

struct ObservedBlock {  // of the heap
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t step = 0;
  bool freed = false;  // else: allocated
};

struct ObservedWait {  // for a condition
  ThreadId thread{};
  std::uint64_t step = 0;
};

// The units of one reading of the program (see UnitOptions::joint).
class ObservedUnits final : private EngineTap {
 public:
  struct Unit {
    ThreadId thread{};
    UnitAccess entered;
    UnitAccess last;  // access
  };

  ObservedUnits(ExecutionState& state, bool joint);
  AtomicSetDetector& sets() { return sets_; }
  std::vector<Unit> take();  // after the last event

 private:
  void opened(std::uint32_t unit, SetNumber set, ThreadIndex thread,
              const UnitAccess& entered) override;
  void accessed(std::uint32_t unit, LocationKey location, bool write,
                const UnitAccess& access) override;
  void widened(std::uint32_t unit, const UnitAccess& entered) override;
  void closed(std::uint32_t unit) override;
  void discarded(std::uint32_t unit) override { open_.erase(unit); }

  ExecutionState& state_;
  AtomicSetDetector sets_;
  std::unordered_map<std::uint32_t, Unit> open_;
  std::vector<Unit> ended_;
};

class ObservedRun final : public Detector {
 public:
  static constexpr std::size_t kMostAccesses = std::size_t{1} << 20;

  explicit ObservedRun(ExecutionState& state);
  ObservedRun(const ObservedRun&) = delete;
  ObservedRun& operator=(const ObservedRun&) = delete;

  void on_object(std::uint64_t address, std::uint64_t bytes) override {
    joint_.sets().on_object(address, bytes);
    separate_.sets().on_object(address, bytes);
  }
  void on_event(const Event& event) override;
  void on_block_begin(const AtomicBlock& block) override;
  void on_block_end(const AtomicBlock& block) override;
  void finish() override;
  std::vector<Finding> take_findings() override { return {}; }

  // After finish().
  // On atomic sets, by both readings, in the order in which they began.
  std::span<const ObservedSpan> units() const { return units_; }
  std::span<const ObservedSpan> blocks() const { return blocks_; }      // outermost atomic blocks
  std::span<const ObservedSpan> sections() const { return sections_; }  // in the order of acquires
  std::span<const ObservedAccess> accesses() const { return accesses_; }
  std::span<const ObservedBlock> heap() const { return heap_; }
  std::span<const ObservedWait> waits() const { return waits_; }
  bool too_long() const { return too_long_; }  // then there are no accesses
  // What the address is called at the end of the execution; "" if it has no name.
  std::string name(std::uint64_t address) const { return state_.name(address); }

 private:
  struct Moment {
    std::uint64_t time = 0;  // ExecutionState::events()
    std::uint64_t step = 0;
  };
  struct LockChange {
    Moment at;
    std::size_t held = 0;  // after it
  };
  void change_locks(const Event& event);
  void keep_access(const Event& event);
  void settle(const ObservedUnits::Unit& unit);
  std::size_t held_at(const std::vector<LockChange>& changes, std::uint64_t time) const;

  ExecutionState& state_;
  ObservedUnits joint_;
  ObservedUnits separate_;
  std::map<ThreadId, std::vector<LockChange>> locks_;
  std::map<std::pair<ThreadId, std::uint64_t>, std::size_t> open_sections_;  // index in sections_
  std::map<std::uint64_t, std::size_t> open_blocks_;                         // index in blocks_
  std::vector<std::size_t> ending_;                                          // the same
  std::vector<ObservedSpan> units_;
  std::vector<ObservedSpan> blocks_;
  std::vector<ObservedSpan> sections_;
  std::vector<ObservedAccess> accesses_;
  std::vector<ObservedBlock> heap_;
  std::vector<ObservedWait> waits_;
  bool too_long_ = false;
};

}  // namespace raddle
