#include "host/analysis/race/all_races.hpp"

#include <algorithm>

#include "host/analysis/shadow/extent.hpp"

namespace raddle {

AllRaces::AllRaces(ExecutionState& state, std::size_t at_most)
    : OrderedAccesses(state), shadow_(*this), at_most_(at_most) {}

std::uint32_t AllRaces::new_list() {
  if (unused_lists_.empty()) {
    lists_.emplace_back();
    return static_cast<std::uint32_t>(lists_.size());
  }
  const std::uint32_t number = unused_lists_.back();
  unused_lists_.pop_back();
  return number;
}

AllRaces::Cell AllRaces::clone(const Cell& cell) {
  Cell copy = cell;
  if (cell.more == 0) return copy;
  copy.more = new_list();
  lists_[copy.more - 1] = lists_[cell.more - 1];
  kept_ += lists_[copy.more - 1].size();
  return copy;
}

void AllRaces::drop(Cell& cell) {
  if (cell.more == 0) return;
  std::vector<Access>& list = lists_[cell.more - 1];
  kept_ -= list.size();
  list.clear();
  unused_lists_.push_back(cell.more);
  cell.more = 0;
}

void AllRaces::look(const Access& earlier, const Access& now, const VectorClock& clock) {
  if (!earlier.writes && !now.writes) return;
  if (earlier.atomic && now.atomic) return;
  if (clock.knows(earlier.epoch)) return;
  pairs_.insert(std::minmax(earlier.site, now.site));
  if (!earlier.atomic) plain_.insert(earlier.site);
  if (!now.atomic) plain_.insert(now.site);
}

void AllRaces::look(const Cell& cell, const Access& now, const VectorClock& clock) {
  look(cell.first, now, clock);
  if (cell.more == 0) return;
  for (const Access& earlier : lists_[cell.more - 1]) look(earlier, now, clock);
}

void AllRaces::keep(Cell& cell, const Access& now) {
  if (cell.first.epoch.none() || cell.first.same_place(now)) {
    cell.first = now;
    return;
  }
  if (cell.more == 0) {
    if (kept_ >= at_most_) {
      cut_ = true;
      cell.first = now;
      return;
    }
    cell.more = new_list();
  }
  std::vector<Access>& list = lists_[cell.more - 1];
  const auto known = std::find_if(list.begin(), list.end(),
                                  [&](const Access& old) { return old.same_place(now); });
  if (known != list.end()) {
    *known = now;
    return;
  }
  if (kept_ >= at_most_) {  // the oldest place of the list gives way
    cut_ = true;
    list.erase(list.begin());
    --kept_;
  }
  list.push_back(now);
  ++kept_;
}

void AllRaces::access(const Event& event, Manner manner) {
  const Extent extent = extent_of(event);
  if (extent.bytes == 0) return;
  const ThreadIndex thread = state_.index(event.thread);
  const VectorClock& clock = order_.clock(thread);
  const bool atomic = is_atomic(event.kind);
  const Access now{order_.epoch(thread), event.site, manner.writes, atomic};
  shadow_.access(extent.address, extent.bytes, [&](Cell& cell, std::uint64_t, unsigned) {
    look(cell, now, clock);
    keep(cell, now);
  });
}

void AllRaces::free_own(const Event& event) {
  const ThreadIndex thread = state_.index(event.thread);
  const Access now{order_.epoch(thread), event.site, true, false};
  shadow_.each(event.object, event.value, [&](const Cell& cell, std::uint64_t, unsigned) {
    look(cell, now, order_.clock(thread));
  });
  renew(event);
  // Who comes after it could have come before.
  shadow_.access(event.object, std::clamp<std::uint64_t>(event.value, 1, kMostFreed),
                 [&](Cell& cell, std::uint64_t, unsigned) { keep(cell, now); });
}

void AllRaces::renew(const Event& event) { shadow_.forget(event.object, event.value); }

}  // namespace raddle
