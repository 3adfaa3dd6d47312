#include "host/explore/causality.hpp"

#include <algorithm>

namespace raddle {
namespace {

bool takes_lock(const Pending& p) {
  if (p.op == OpKind::rwlock_write) return p.extra != kCallsAsWriter;
  return p.op == OpKind::mutex_lock || p.op == OpKind::spin_lock || p.op == OpKind::rwlock_read;
}

bool gives_back(const Pending& p, const Pending& lock) {
  if (p.op == OpKind::cond_wait) return p.extra == raw(lock.object);
  if (p.object != lock.object) return false;
  return p.op == OpKind::mutex_unlock || p.op == OpKind::spin_unlock ||
         p.op == OpKind::rwlock_unlock;
}

// No state has both enabled: the first gives back what the other waits for.
bool never_together(const Pending& earlier, const Pending& later) {
  if (takes_lock(later) && gives_back(earlier, later)) return true;
  return earlier.op == OpKind::thread_end && later.op == OpKind::thread_join &&
         later.extra != kJoinWithoutWaiting && earlier.object == later.object;
}

const Pending* find(std::span<const Pending> group, ThreadId thread) {
  for (const Pending& p : group) {
    if (p.thread == thread) return &p;
  }
  return nullptr;
}

}  // namespace

void Causality::prepare(const Explored& execution) {
  execution_ = &execution;
  steps_ = static_cast<std::uint32_t>(execution.log.size());
  std::uint16_t highest = 0;
  for (const Pending& p : execution.pending) highest = std::max(highest, raw(p.thread));
  threads_ = std::uint32_t{highest} + 1;
  clocks_.assign((std::size_t{steps_} + 1) * threads_, 0);
  ordinal_.assign(steps_, 0);
  thread_of_.resize(steps_);
  executed_.assign(steps_, nullptr);
  if (steps_of_.size() < threads_) steps_of_.resize(threads_);
  for (std::vector<std::uint32_t>& list : steps_of_) list.clear();
  presence_.assign(threads_, {});
  groups_ = 0;
  last_step_ = kNone;
  races_.clear();
  initials_.clear();
}

void Causality::analyse(const Explored& execution, std::uint32_t from, bool enabled_at_end) {
  prepare(execution);
  for (const Pending& p : execution.pending) keys_.learn(p);
  keys_.clear();
  for (std::uint32_t step = 0; step < steps_; ++step) {
    const StepRecord& record = execution.log[step];
    if (record.op == OpKind::value_choice) continue;
    executed_[step] = find(execution.enabled(step), record.thread);
    if (executed_[step] == nullptr) continue;  // not a log that a runtime writes
    note_enabled(step);
    order(step, *executed_[step]);
    if (step >= from) races_of(step, *executed_[step]);
    add_step(step);
  }
  const std::span<const Pending> at_end = execution.at_end();
  for (std::size_t i = 0; i < at_end.size(); ++i) {
    if (i < execution.enabled_at_end && !enabled_at_end) continue;
    const Pending& p = at_end[i];
    std::fill_n(clock(steps_), threads_, 0);
    order(steps_, p);
    races_of(steps_, p);
  }
}

// A thread that was not in the group before this one was made able to move by the last step.
void Causality::note_enabled(std::uint32_t step) {
  ++groups_;
  for (const Pending& p : execution_->enabled(step)) {
    Presence& presence = presence_[raw(p.thread)];
    if (presence.last + 1 != groups_) presence.made_able_by = last_step_;
    presence.last = groups_;
  }
}

void Causality::join(std::uint32_t step, std::uint32_t earlier) {
  std::uint32_t* to = clock(step);
  const std::uint32_t* from = clock(earlier);
  for (std::uint32_t t = 0; t < threads_; ++t) to[t] = std::max(to[t], from[t]);
}

std::uint32_t Causality::last_step_of(ThreadId thread) const {
  const std::vector<std::uint32_t>& list = steps_of_[raw(thread)];
  return list.empty() ? kNone : list.back();
}

// The clock of `p`, executed as `step` after all that was added so far.
void Causality::order(std::uint32_t step, const Pending& p) {
  const std::uint32_t previous = last_step_of(p.thread);
  if (previous != kNone) join(step, previous);
  const Presence& presence = presence_[raw(p.thread)];
  if (presence.made_able_by != kNone && (previous == kNone || presence.made_able_by > previous))
    join(step, presence.made_able_by);
  for (const KeyTable::Use& use : keys_.uses(p)) {
    const KeyTable::Entry& entry = keys_.at(use.key);
    if (entry.writes != kNone) join(step, keys_.access(entry.writes).step);
    if (use.writes) {
      for (std::uint32_t a = entry.reads; a != kNone; a = keys_.access(a).previous)
        join(step, keys_.access(a).step);
    }
  }
}

void Causality::add_step(std::uint32_t step) {
  const Pending& p = *executed_[step];
  const std::uint16_t thread = raw(p.thread);
  for (const KeyTable::Use& use : keys_.uses(p)) keys_.add(use, step);
  steps_of_[thread].push_back(step);
  ordinal_[step] = static_cast<std::uint32_t>(steps_of_[thread].size());
  thread_of_[step] = p.thread;
  clock(step)[thread] = ordinal_[step];
  last_step_ = step;
}

bool Causality::is_before_thread(std::uint32_t step, std::uint32_t previous) const {
  return previous != kNone && before(step, previous);
}

// Could `later`, the next operation of its thread, have been executed before `step`? If its thread
// was already there, the log says whether it could move.
bool Causality::could_be_reversed(std::uint32_t step, const Pending& later,
                                  std::uint32_t previous) const {
  if (previous == kNone || previous < step) {
    const Pending* there = find(execution_->enabled(step), later.thread);
    return there != nullptr;
  }
  return !never_together(*executed_[step], later);
}

void Causality::races_of(std::uint32_t at, const Pending& later) {
  const std::uint32_t previous = last_step_of(later.thread);
  candidates_.clear();
  const auto consider = [&](std::uint32_t step) {
    if (thread_of_[step] == later.thread || is_before_thread(step, previous)) return true;
    if (!could_be_reversed(step, later, previous)) return false;
    candidates_.push_back(step);
    return true;
  };
  for (const KeyTable::Use& use : keys_.uses(later)) {
    const KeyTable::Entry entry = keys_.at(use.key);
    if (use.writes) {
      for (std::uint32_t a = entry.reads; a != kNone; a = keys_.access(a).previous)
        consider(keys_.access(a).step);
    }
    // Back to the last write that could be reversed, or comes before anyway: so do all before it.
    for (std::uint32_t a = entry.writes; a != kNone; a = keys_.access(a).previous) {
      if (consider(keys_.access(a).step)) break;
    }
  }
  std::sort(candidates_.begin(), candidates_.end());
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  for (const std::uint32_t step : candidates_) {
    const bool covered =
        std::any_of(candidates_.begin(), candidates_.end(),
                    [&](std::uint32_t other) { return other > step && before(step, other); });
    if (!covered) emit(step, at, later);
  }
}

// The first step of `thread` behind `step`, unless that comes after it: then kNone.
std::uint32_t Causality::first_independent(std::uint32_t thread, std::uint32_t step) const {
  const std::vector<std::uint32_t>& list = steps_of_[thread];
  const auto next = std::upper_bound(list.begin(), list.end(), step);
  if (next == list.end() || before(step, *next)) return kNone;
  return *next;
}

// The initials of v, the steps behind `step` that do not come after it, followed by `later`: those
// threads whose first step in v has no predecessor in v. (All steps of one thread that come after
// `step` are at its end, so its first step in v is its first behind `step`.) `later` may be held
// for a successor of a step of v although it is only one of a step outside v: one initial less, and
// there is always another.
void Causality::emit(std::uint32_t step, std::uint32_t at, const Pending& later) {
  firsts_.assign(threads_, kNone);
  for (std::uint32_t t = 0; t < threads_; ++t) firsts_[t] = first_independent(t, step);
  Race race{step, later.thread, static_cast<std::uint32_t>(initials_.size()), 0};
  const auto has_predecessor = [&](const std::uint32_t* row, std::uint32_t self) {
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (t == self || firsts_[t] == kNone) continue;
      if (row[t] >= ordinal_[firsts_[t]]) return true;
    }
    return false;
  };
  for (std::uint32_t t = 0; t < threads_; ++t) {
    if (firsts_[t] == kNone || has_predecessor(clock(firsts_[t]), t)) continue;
    initials_.push_back(ThreadId{static_cast<std::uint16_t>(t)});
  }
  const std::uint16_t self = raw(later.thread);
  if (firsts_[self] == kNone && !has_predecessor(clock(at), self))
    initials_.push_back(later.thread);
  race.count = static_cast<std::uint32_t>(initials_.size()) - race.first;
  races_.push_back(race);
}

}  // namespace raddle
