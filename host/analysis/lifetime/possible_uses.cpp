#include "host/analysis/lifetime/possible_uses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/lifetime/lifetime.hpp"
#include "host/analysis/model/volatile_access.hpp"
#include "host/analysis/shadow/extent.hpp"

namespace raddle {

void PossibleUses::on_event(const Event& event) {
  if (is_volatile(event, state_)) {
    const Event relaxed = as_relaxed(event);
    order_.before(relaxed);
    access(event);
    order_.after(relaxed);
    return;
  }
  if (event.kind == EventKind::acquire) return acquire(event);
  if (event.kind == EventKind::release) return release(event);
  if (event.kind == EventKind::free) free(event);
  if (event.kind == EventKind::free || event.kind == EventKind::allocate ||
      event.kind == EventKind::local)
    shadow_.forget(event.object, event.value);
  order_.before(event);
  if (is_access(event.kind) || (is_atomic(event.kind) && event.kind != EventKind::fence))
    access(event);
  order_.after(event);
}

PossibleUses::Thread& PossibleUses::thread(ThreadId id) {
  const ThreadIndex index = state_.index(id);
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  return threads_[index];
}

void PossibleUses::number(Thread& thread) {
  const auto [at, added] =
      numbers_.try_emplace(thread.holds, static_cast<std::uint32_t>(holds_.size()));
  if (added) holds_.push_back(thread.holds);
  thread.number = at->second;
}

void PossibleUses::acquire(const Event& event) {
  if (!state_.outermost()) return;
  Thread& self = thread(event.thread);
  self.holds.push_back({event.object, event.site, state_.shared()});
  number(self);
}

void PossibleUses::release(const Event& event) {
  if (!state_.outermost()) return;
  Thread& self = thread(event.thread);
  std::erase_if(self.holds, [&](const Hold& hold) { return hold.lock == event.object; });
  number(self);
}

PossibleUses::Cell PossibleUses::clone(const Cell& cell) {
  return {.list = lists_.copy(cell.list)};
}

void PossibleUses::drop(Cell& cell) { lists_.drop(cell.list); }

void PossibleUses::keep(Cell& cell, const Access& now) {
  if (cell.list == 0) cell.list = lists_.make();
  const std::vector<Access>& list = lists_[cell.list];
  // A point is of a thread; but threads that follow each other may have the same.
  const auto same = std::find_if(list.begin(), list.end(), [&](const Access& old) {
    return old.point == now.point && old.holds == now.holds &&
           old.epoch.thread() == now.epoch.thread();
  });
  if (same != list.end()) {
    lists_.replace(cell.list, static_cast<std::size_t>(same - list.begin()), now);
    return;
  }
  if (lists_.elements() >= at_most_ && !list.empty()) lists_.drop_first(cell.list);  // the oldest
  lists_.push_back(cell.list, now);
}

void PossibleUses::access(const Event& event) {
  const Extent extent = extent_of(event);
  if (extent.bytes == 0) return;
  const Access now{order_.epoch(state_.index(event.thread)), state_.point(event),
                   static_cast<std::uint32_t>(event.step), thread(event.thread).number};
  shadow_.access(extent.address, extent.bytes,
                 [&](Cell& cell, std::uint64_t, unsigned) { keep(cell, now); });
}

void PossibleUses::free(const Event& event) {
  const std::vector<SiteFrame>& frames = state_.site(event.site).frames;
  if (frames.empty() || frames.front().file.empty()) return;
  const VectorClock& clock = order_.clock(state_.index(event.thread));
  const Holds held = thread(event.thread).holds;
  shadow_.each(event.object, event.value, [&](const Cell& cell, std::uint64_t address, unsigned) {
    if (cell.list == 0) return;
    for (const Access& earlier : lists_[cell.list])
      if (!clock.knows(earlier.epoch)) look(earlier, event, held, address);
  });
}

void PossibleUses::look(const Access& earlier, const Event& free, const Holds& held,
                        std::uint64_t address) {
  const Event use = state_.recall(earlier.point, address, whole_step(earlier.step, free.step));
  PossibleUse found{.use = use.site, .free = free.site};
  if (!held.empty()) found.free_locks = held.front().site;
  const Holds& other = holds_[earlier.holds];
  const auto excluding = std::find_if(other.begin(), other.end(), [&](const Hold& one) {
    return std::any_of(held.begin(), held.end(), [&](const Hold& mine) {
      return mine.lock == one.lock && !(mine.shared && one.shared);
    });
  });
  if (excluding != other.end()) found.use_locks = excluding->site;
  if (!uses_.insert(found).second) return;
  first_[found] = {earlier.point, state_.point(free), address,
                   use.step,      free.step,          state_.freed_name(free)};
}

std::vector<Finding> PossibleUses::predicted() const {
  std::vector<Finding> list;
  list.reserve(first_.size());
  for (const auto& [use, pair] : first_) {
    Finding finding;
    finding.kind = FindingKind::use_after_free;
    finding.place = place_of_use(state_, use.free, use.use);
    finding.steps.push_back(
        state_.step(pair.free, pair.address, pair.free_step, FindingRole::frees));
    finding.steps.push_back(
        state_.step(pair.use, pair.address, pair.use_step, FindingRole::accesses));
    finding.object = pair.object;
    for (FindingStep& step : finding.steps) step.object = pair.object;
    finding.what = fmt::format("{} could free {} before {} uses it: only locks order the two",
                               state_.thread_name(finding.steps[0].event.thread), pair.object,
                               state_.thread_name(finding.steps[1].event.thread));
    finding.why =
        "Who gets a lock first is a matter of the schedule. If the thread that uses the memory "
        "still "
        "has its address by then, it uses freed memory.";
    list.push_back(std::move(finding));
  }
  return list;
}

}  // namespace raddle
