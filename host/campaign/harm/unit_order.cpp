#include "host/campaign/harm/unit_order.hpp"

#include <algorithm>
#include <map>

namespace raddle {

StepCounts::StepCounts(std::span<const StepRecord> log) {
  for (std::uint64_t at = 0; at < log.size(); ++at)
    if (log[at].op != OpKind::value_choice) steps_[log[at].thread].push_back(at);
}

std::uint64_t StepCounts::of(ThreadId thread, std::uint64_t step) const {
  const auto found = steps_.find(thread);
  if (found == steps_.end()) return 0;
  const auto end = std::lower_bound(found->second.begin(), found->second.end(), step);
  return static_cast<std::uint64_t>(end - found->second.begin());
}

std::vector<StepRecord> UnitOrder::guide() const {
  Schedule schedule{before, values};
  schedule.turns.insert(schedule.turns.end(), units.begin(), units.end());
  return guide_of(schedule);
}

UnitOrder common_order(std::span<const StepRecord> log, ThreadId first, std::uint64_t first_at,
                       std::uint64_t other_at) {
  UnitOrder order;
  std::map<ThreadId, std::uint64_t> made;
  for (std::uint64_t at = 0; at < log.size(); ++at) {
    const StepRecord& record = log[at];
    if (record.op == OpKind::value_choice) {
      order.values.push_back(record);
      continue;
    }
    const Turn turn{record.thread, ++made[record.thread]};
    if (at >= other_at || (at >= first_at && record.thread == first)) continue;
    if (!order.before.empty() && order.before.back().thread == turn.thread) {
      order.before.back().until = turn.until;
    } else {
      order.before.push_back(turn);
    }
  }
  return order;
}

std::optional<std::uint64_t> followed(const UnitOrder& order, std::span<const StepRecord> log) {
  std::map<ThreadId, std::uint64_t> made;
  std::uint64_t at = 0;
  const auto follow = [&](const Turn& turn) {
    while (made[turn.thread] < turn.until) {
      while (at < log.size() && log[at].op == OpKind::value_choice) ++at;
      if (at == log.size() || log[at].thread != turn.thread) return false;
      ++made[turn.thread];
      ++at;
    }
    return true;
  };
  for (const Turn& turn : order.before)
    if (!follow(turn)) return std::nullopt;
  for (const Turn& turn : order.units)
    if (!follow(turn)) return std::nullopt;
  return at;
}

}  // namespace raddle
