// Replay: follows a recorded choice log to its end, then hands over to the strategy that it wraps.
// In the checked modes it compares each step with its record before the program executes the step.
#pragma once

#include <span>

#include "target/strategy/table.hpp"

namespace raddle {

struct Divergence {
  bool happened;
  std::uint64_t step;
  StepRecord recorded;
  StepRecord actual;  // thread is kNoThread if the recorded thread could not move
};

enum class ReplayMode : std::uint8_t {
  kLoose,   // follows the log as far as it can, checks nothing
  kPrefix,  // checks each step, then hands over
  kStrict,  // checks each step; the log covers the whole execution
};

class Replay final : public Strategy {
 public:
  Replay(std::span<const StepRecord> log, ReplayMode mode, Strategy& then)
      : log_(log), mode_(mode), then_(then) {}

  std::size_t choose(const View& view) override;
  std::uint32_t choose_value(ThreadId thread, std::uint32_t count) override;
  void brief(std::span<const AimSite> aims, Realised& realised) override {
    then_.brief(aims, realised);
  }
  void on_create(ThreadId id) override { then_.on_create(id); }
  void on_place(ThreadId id, const Place& place) override { then_.on_place(id, place); }
  void on_lock(ThreadId id, ObjectId lock, bool taken) override { then_.on_lock(id, lock, taken); }
  void on_block(ThreadId id, bool entered) override { then_.on_block(id, entered); }

  // From here on it is this log's: the first `position` of its steps were executed.
  void go_on_with(std::span<const StepRecord> log, std::uint64_t position, const Plan& plan) {
    log_ = log;
    position_ = position;
    then_.go_on_for(plan);
  }

  // The next step of the recording; null after its end.
  const StepRecord* next() const { return position_ < log_.size() ? &log_[position_] : nullptr; }

  // The scheduler asks after each call and ends the execution on a divergence.
  const Divergence& divergence() const { return divergence_; }

 private:
  void diverge(const StepRecord& recorded, const StepRecord& actual);

  std::span<const StepRecord> log_;
  std::size_t position_ = 0;
  ReplayMode mode_;
  Strategy& then_;
  Divergence divergence_{};
};

}  // namespace raddle
