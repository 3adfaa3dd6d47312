#include "host/describe/explain/events/final_waits.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;  // that a decision to wait may depend on

}  // namespace

FinalWaits::FinalWaits(const Failure& failure, const AccessHistory& history, Storyteller& teller)
    : history_(history), events_(history.trace().all()), teller_(teller) {
  find(failure);
}

void FinalWaits::find(const Failure& failure) {
  std::map<std::uint16_t, FinalWait> conditions;
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t> taken;  // lock: last acquisition
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    if (event.kind == EventKind::acquire) taken[{raw(event.thread), event.object}] = i;
    if (event.kind == EventKind::wake) conditions.erase(raw(event.thread));
    if (event.kind != EventKind::wait) continue;
    conditions[raw(event.thread)] = {event.thread, i, i, taken[{raw(event.thread), event.value}]};
  }
  if (!failure.verdict) return;
  for (const WaitingThread& line : failure.verdict->waiting) {
    FinalWait waiter{line.thread, events_.size()};
    const auto known = conditions.find(raw(line.thread));
    const bool condition = line.doing.object.cls == ObjectClass::cond;
    if (condition && known != conditions.end()) waiter = known->second;
    waiter.line = &line;
    if (!condition || waiter.wait) waits_.push_back(waiter);
  }
}

std::vector<Access> FinalWaits::looks(const FinalWait& waiter) {
  std::vector<Access> reads = history_.last_reads(waiter.thread, waiter.end, kMostReads);
  std::erase_if(reads, [&](const Access& read) {
    return read.writes || read.event < waiter.since ||
           !history_.is_shared(events_[read.event].object);
  });
  if (waiter.wait) return reads;
  std::set<std::size_t> events;
  for (const Access& read : reads) events.insert(read.event);
  teller_.look_at(events);
  std::erase_if(reads, [&](const Access& read) {
    return teller_.where(read.event).function != waiter.line->where.function;
  });
  return reads;
}

std::vector<Access> FinalWaits::looks_without_lock(const FinalWait& waiter) {
  if (!waiter.wait) return {};
  std::vector<Access> reads = history_.last_reads(waiter.thread, waiter.since, kMostReads);
  // What it looked at before it waited the last time was for that wait.
  std::size_t waited = 0;
  for (std::size_t i = 0; i < *waiter.wait; ++i) {
    if (events_[i].thread == waiter.thread && events_[i].kind == EventKind::wait) waited = i;
  }
  std::erase_if(reads, [&](const Access& read) {
    return read.writes || read.event < waited || !history_.is_shared(events_[read.event].object);
  });
  std::set<std::size_t> events;
  for (const Access& read : reads) events.insert(read.event);
  teller_.look_at(events);
  std::erase_if(reads, [&](const Access& read) {
    const std::vector<Where> stack = teller_.stacks().stack(read.event);
    return std::none_of(stack.begin(), stack.end(), [&](const Where& where) {
      return where.function == waiter.line->where.function;
    });
  });
  return reads;
}

bool FinalWaits::changes(const Access& write, const Access& look) const {
  const auto before = value_read(events_[look.event]);
  const auto after = value_written(events_[write.event]);
  return write.writes && write.thread != look.thread && (!before || !after || *before != *after);
}

std::optional<std::size_t> FinalWaits::notify_between(std::uint64_t condition, std::size_t from,
                                                      std::size_t to) const {
  for (std::size_t i = to; i-- > from;) {
    if (events_[i].kind == EventKind::notify && events_[i].object == condition) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> FinalWaits::next(std::size_t from, EventKind kind,
                                            std::uint64_t condition,
                                            std::optional<ThreadId> thread) const {
  for (std::size_t i = from; i < events_.size(); ++i) {
    const Event& event = events_[i];
    if (event.kind != kind || event.object != condition) continue;
    if (!thread || event.thread == *thread) return i;
  }
  return std::nullopt;
}

std::uint64_t FinalWaits::condition_of(const FinalWait& waiter) const {
  return waiter.wait ? events_[*waiter.wait].object : 0;
}

void FinalWaits::add_wait(Explanation& explanation, const FinalWait& waiter) const {
  ExplainedStep step;
  if (waiter.wait) {
    step = teller_.step(*waiter.wait);
    explanation.object = teller_.object(*waiter.wait);
  } else {
    step.thread = waiter.thread;
    step.step = events_.empty() ? 0 : events_.back().step + 1;
    step.where = waiter.line->where;
    step.action = StepAction::kWaitsOn;
  }
  if (explanation.object.name.empty()) explanation.object.ref = waiter.line->doing.object;
  step.object.clear();
  step.violates = true;
  explanation.last.thread = waiter.thread;
  explanation.last.where = step.where;
  teller_.add_step(explanation, std::move(step));
}

}  // namespace raddle
