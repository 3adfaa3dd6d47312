// Replay: wraps another strategy. Follows a recorded choice log for its length, then hands over to
// the wrapped strategy. In strict mode each step is compared with its record before it is executed.
#pragma once

#include <span>

#include "runtime/strategy/table.hpp"

namespace raddle {

struct Divergence {
  bool happened;
  std::uint64_t step;
  StepRecord recorded;
  StepRecord actual;  // thread kNoThread when the recorded thread could not move
};

class Replay final : public Strategy {
 public:
  Replay(std::span<const StepRecord> log, bool strict, Strategy& then)
      : log_(log), strict_(strict), then_(then) {}

  std::size_t choose(const View& view) override;
  std::uint32_t choose_value(ThreadId thread, std::uint32_t count) override;
  void on_create(ThreadId id) override { then_.on_create(id); }

  // The step that comes next in the recording, or null behind its end.
  const StepRecord* next() const { return position_ < log_.size() ? &log_[position_] : nullptr; }

  // The scheduler asks after each call; on a divergence it ends the execution.
  const Divergence& divergence() const { return divergence_; }

 private:
  void diverge(const StepRecord& recorded, const StepRecord& actual);

  std::span<const StepRecord> log_;
  std::size_t position_ = 0;
  bool strict_;
  Strategy& then_;
  Divergence divergence_{};
};

}  // namespace raddle
