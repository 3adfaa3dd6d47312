#include "host/explore/causality.hpp"

#include <algorithm>
#include <cstring>

namespace raddle {
namespace {

bool is_same(const Pending& a, const Pending& b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

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

// Steps of the last execution that this one has, too: the same choices among the same threads.
std::uint32_t Causality::common_steps(const Explored& execution) const {
  const std::size_t most = std::min(log_.size(), execution.log.size());
  const std::uint32_t known = execution.known_from(number_, log_.size());
  std::uint32_t common = known;
  while (common < most &&
         std::memcmp(&log_[common], &execution.log[common], sizeof(StepRecord)) == 0 &&
         first_[common + 1] == execution.first[common + 1])
    ++common;
  if (common == known) return common;
  const auto begin = static_cast<std::ptrdiff_t>(first_[known]);
  const auto end = pending_.begin() + first_[common];
  const auto differs =
      std::mismatch(pending_.begin() + begin, end, execution.pending.begin() + begin, is_same)
          .first;
  const auto same = static_cast<std::uint32_t>(differs - pending_.begin());
  while (differs != end && common > known && first_[common] > same) --common;
  return common;
}

// False: what was analysed so far does not hold any more.
bool Causality::learn(const Explored& execution, std::uint32_t common) {
  std::uint32_t threads = threads_;
  bool holds = true;
  const std::size_t known = common == 0 ? 0 : execution.first[common];
  for (const Pending& p : execution.pending.subspan(known)) {
    threads = std::max<std::uint32_t>(threads, raw(p.thread) + 1U);
    holds &= !keys_.learn(p);
  }
  holds &= threads == threads_;
  threads_ = threads;
  return holds;
}

void Causality::keep(const Explored& execution, std::uint32_t common) {
  const std::size_t known = common == 0 ? 0 : first_[common];
  log_.resize(common);
  log_.insert(log_.end(), execution.log.begin() + common, execution.log.end());
  pending_.resize(known);
  pending_.insert(pending_.end(), execution.pending.begin() + static_cast<std::ptrdiff_t>(known),
                  execution.pending.end());
  first_.assign(execution.first.begin(), execution.first.end());
  number_ = execution.number;
}

// As if the analysis had just come to this step of an execution as long as the new one.
void Causality::go_back_to(std::uint32_t step) {
  steps_ = static_cast<std::uint32_t>(log_.size());
  if (step == 0) {
    keys_.clear();
  } else {
    keys_.take_back(step);
  }
  clocks_.resize(std::size_t{step} * threads_);
  clocks_.resize((std::size_t{steps_} + 1) * threads_);
  ordinal_.resize(step);
  ordinal_.resize(steps_);
  thread_of_.resize(steps_);
  executed_.resize(steps_);
  if (steps_of_.size() < threads_) steps_of_.resize(threads_);
  for (std::vector<std::uint32_t>& list : steps_of_)
    while (!list.empty() && list.back() >= step) list.pop_back();
  if (presence_.size() < threads_) presence_.resize(threads_);
  for (Presence& presence : presence_) {
    presence.last = kNever;
    std::vector<Enabling>& list = presence.enablings;
    while (!list.empty() && list.back().step >= step) list.pop_back();
  }
  last_step_ = kNone;
  for (std::uint32_t i = step; i-- > 0 && last_step_ == kNone;)
    if (ordinal_[i] != 0) last_step_ = i;
  if (last_step_ != kNone)
    for (const Pending& p : enabled(last_step_)) presence_[raw(p.thread)].last = last_step_;
  races_.clear();
  initials_.clear();
}

void Causality::analyse(const Explored& execution, std::uint32_t from, bool enabled_at_end) {
  const std::uint32_t common = common_steps(execution);
  const bool holds = learn(execution, common);
  keep(execution, common);
  const std::uint32_t begin = holds ? std::min(common, from) : 0;
  go_back_to(begin);
  for (std::uint32_t step = begin; step < steps_; ++step) {
    const StepRecord& record = log_[step];
    if (record.op == OpKind::value_choice) continue;
    const Pending* executed = find(enabled(step), record.thread);
    if (executed == nullptr) continue;  // not a log that a runtime writes
    executed_[step] = static_cast<std::uint32_t>(executed - pending_.data());
    note_enabled(step);
    order(step, *executed);
    if (step >= from) races_of(step, *executed);
    add_step(step);
  }
  const std::span<const Pending> at_end = enabled(steps_);
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
  for (const Pending& p : enabled(step)) {
    Presence& presence = presence_[raw(p.thread)];
    if (presence.last != last_step_) presence.enablings.push_back({step, last_step_});
    presence.last = step;
  }
}

void Causality::join(std::uint32_t step, std::uint32_t earlier) {
  std::uint32_t* to = clock(step);
  // It came with a step that is known to come before: so did all before it.
  if (to[raw(thread_of_[earlier])] >= ordinal_[earlier]) return;
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
  const std::uint32_t enabler = presence_[raw(p.thread)].made_able_by();
  if (enabler != kNone && (previous == kNone || enabler > previous)) join(step, enabler);
  for (const KeyTable::Use& use : keys_.uses(p)) {
    const KeyTable::Entry& entry = keys_.at(use.key);
    if (entry.writes != kNone) join(step, keys_.access(entry.writes).step);
    if (use.writes) {
      for (std::uint32_t a = entry.reads; a != kNone; a = keys_.access(a).other)
        join(step, keys_.access(a).step);
    }
  }
}

void Causality::add_step(std::uint32_t step) {
  const Pending& p = executed(step);
  const std::uint16_t thread = raw(p.thread);
  for (const KeyTable::Use& use : keys_.uses(p)) keys_.add(use, step, p.thread);
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
    const Pending* there = find(enabled(step), later.thread);
    return there != nullptr;
  }
  return !never_together(executed(step), later);
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
    // A read that could be reversed, or comes before anyway, stands for those of its thread just
    // before it.
    for (std::uint32_t a = use.writes ? entry.reads : kNone; a != kNone;) {
      const KeyTable::Access& read = keys_.access(a);
      a = consider(read.step) ? read.other : read.previous;
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
