#include "host/analysis/race/all_races.hpp"

#include <algorithm>

#include "host/analysis/shadow/extent.hpp"

namespace raddle {

AllRaces::AllRaces(ExecutionState& state, std::size_t at_most)
    : OrderedAccesses(state), shadow_(*this), at_most_(at_most) {}

AllRaces::Cell AllRaces::clone(const Cell& cell) {
  return {.first = cell.first, .more = lists_.copy(cell.more)};
}

void AllRaces::drop(Cell& cell) { lists_.drop(cell.more); }

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
  for (const Access& earlier : lists_[cell.more]) look(earlier, now, clock);
}

void AllRaces::keep(Cell& cell, const Access& now) {
  if (cell.first.epoch.none() || cell.first.same_place(now)) {
    cell.first = now;
    return;
  }
  if (cell.more == 0) {
    if (lists_.elements() >= at_most_) {
      cut_ = true;
      cell.first = now;
      return;
    }
    cell.more = lists_.make();
  }
  const std::vector<Access>& list = lists_[cell.more];
  const auto known = std::find_if(list.begin(), list.end(),
                                  [&](const Access& old) { return old.same_place(now); });
  if (known != list.end()) {
    lists_.replace(cell.more, static_cast<std::size_t>(known - list.begin()), now);
    return;
  }
  if (lists_.elements() >= at_most_) {  // the oldest place of the list gives way
    cut_ = true;
    lists_.drop_first(cell.more);
  }
  lists_.push_back(cell.more, now);
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
