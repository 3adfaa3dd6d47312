#include "prevent/logics/runtime/pool.hpp"

#include <algorithm>
#include <mutex>

namespace raddle::logics {
namespace {

// What a state costs beside its configuration, in words.
constexpr std::size_t kEntryWeight = 16;
constexpr std::size_t kLeastSweep = std::size_t(1) << 16U;

}  // namespace

StateId PooledProperty::find(Configuration configuration) const {
  const auto found = known_.find(configuration);
  if (found != known_.end()) return found->second;
  if (weight_ > sweep_at_) sweep();
  StateId id = StateId(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  weight_ += configuration.size() + events() + kEntryWeight;
  const auto at = known_.emplace(std::move(configuration), id).first;
  entries_[id] = {&at->first, categories_of(at->first), overran_in(at->first), 0,
                  std::vector<StateId>(events(), kNone)};
  kept_configuration(at->first);
  return id;
}

StateId PooledProperty::follow(StateId from, EventId event) const {
  if (entries_[from].next[event] != kNone) return entries_[from].next[event];
  ++entries_[from].uses;  // it must survive a sweep
  const StateId to = find(next(*entries_[from].configuration, event));
  --entries_[from].uses;
  entries_[from].next[event] = to;
  return to;
}

// Forgets all states that nobody uses. The next time is when there are twice as many.
void PooledProperty::sweep() const {
  for (StateId id = 0; id < entries_.size(); ++id) {
    Entry& entry = entries_[id];
    if (entry.configuration == nullptr || entry.uses > 0) continue;
    weight_ -= entry.configuration->size() + events() + kEntryWeight;
    forgotten(*entry.configuration);
    known_.erase(known_.find(*entry.configuration));
    entry.configuration = nullptr;
    entry.next.clear();
    free_.push_back(id);
  }
  for (Entry& entry : entries_)
    for (StateId& to : entry.next)
      if (to != kNone && entries_[to].configuration == nullptr) to = kNone;
  sweep_at_ = std::max(kLeastSweep, 2 * weight_);
}

StateId PooledProperty::start_lazy() const {
  const std::lock_guard<Lock> guard(lock_);
  const StateId out = find(first());
  ++entries_[out].uses;
  return out;
}

StateId PooledProperty::after_lazy(StateId from, EventId event) const {
  const std::lock_guard<Lock> guard(lock_);
  const StateId out = follow(from, event);
  ++entries_[out].uses;
  return out;
}

bool PooledProperty::may(StateId from, EventId event) const {
  const std::lock_guard<Lock> guard(lock_);
  return kept().holds(entries_[follow(from, event)].categories);
}

Categories PooledProperty::categories_lazy(StateId state) const {
  const std::lock_guard<Lock> guard(lock_);
  return entries_[state].categories;
}

bool PooledProperty::overran(StateId state) const {
  const std::lock_guard<Lock> guard(lock_);
  return entries_[state].overran;
}

void PooledProperty::retain_lazy(StateId state) const {
  const std::lock_guard<Lock> guard(lock_);
  ++entries_[state].uses;
}

void PooledProperty::release_lazy(StateId state) const {
  const std::lock_guard<Lock> guard(lock_);
  --entries_[state].uses;
}

std::size_t PooledProperty::pooled() const {
  const std::lock_guard<Lock> guard(lock_);
  return known_.size();
}

}  // namespace raddle::logics
