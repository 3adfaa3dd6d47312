#include "host/campaign/minimize/schedule.hpp"

#include <unordered_map>

namespace raddle {

Schedule schedule_of(std::span<const StepRecord> log) {
  Schedule schedule;
  std::unordered_map<ThreadId, std::uint64_t> steps;
  for (const StepRecord& record : log) {
    if (record.op == OpKind::value_choice) {
      schedule.values.push_back(record);
      continue;
    }
    const std::uint64_t made = ++steps[record.thread];
    if (schedule.turns.empty() || schedule.turns.back().thread != record.thread) {
      schedule.turns.push_back({record.thread, made});
    } else {
      schedule.turns.back().until = made;
    }
  }
  return schedule;
}

std::vector<StepRecord> guide_of(const Schedule& schedule) {
  std::vector<StepRecord> guide;
  guide.reserve(schedule.turns.size() + schedule.values.size());
  for (const Turn& turn : schedule.turns) {
    guide.push_back({turn.thread, OpKind::none, 0, kNoObject, turn.until});
  }
  guide.insert(guide.end(), schedule.values.begin(), schedule.values.end());
  return guide;
}

}  // namespace raddle
