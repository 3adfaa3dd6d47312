#include "target/strategy/replay.hpp"

namespace raddle {

void Replay::diverge(const StepRecord& recorded, const StepRecord& actual) {
  if (divergence_.happened || mode_ == ReplayMode::kLoose) return;
  divergence_ = {true, position_, recorded, actual};
}

std::size_t Replay::choose(const View& view) {
  if (position_ >= log_.size()) {
    // A strict recording covers the whole execution, so a step after its end is a difference too.
    if (mode_ == ReplayMode::kStrict) {
      const Pending& extra = *view.enabled[0];
      diverge({kNoThread, OpKind::none, 0, kNoObject, 0},
              {extra.thread, extra.op, static_cast<std::uint8_t>(extra.outcome), extra.object,
               extra.site});
    }
    return then_.choose(view);
  }
  const StepRecord& record = log_[position_];
  for (std::size_t i = 0; i < view.enabled.size(); ++i) {
    const Pending& pending = *view.enabled[i];
    if (pending.thread != record.thread) continue;
    StepRecord actual{pending.thread, pending.op, static_cast<std::uint8_t>(pending.outcome),
                      pending.object, pending.site};
    if (!same_step(actual, record)) diverge(record, actual);
    ++position_;
    then_.on_followed(view, i);
    return i;
  }
  diverge(record, {kNoThread, OpKind::none, 0, kNoObject, 0});
  ++position_;
  return 0;
}

std::uint32_t Replay::choose_value(ThreadId thread, std::uint32_t count) {
  if (position_ >= log_.size()) return then_.choose_value(thread, count);
  const StepRecord& record = log_[position_];
  bool same = record.op == OpKind::value_choice && record.thread == thread &&
              raw(record.object) == count && record.outcome < count;
  if (!same) diverge(record, {thread, OpKind::value_choice, 0, ObjectId{count}, 0});
  ++position_;
  return same ? record.outcome : 0;
}

}  // namespace raddle
