#include "host/explore/causal/windows.hpp"

#include <algorithm>
#include <set>

namespace raddle {

using causal::Action;
using causal::ActionKind;
using causal::NodeId;
using causal::ThreadIndex;

namespace {

bool is_access(ActionKind kind) { return causal::reads(kind) || causal::writes(kind); }

// Adds an event that the histories open with. False: it cannot happen there.
bool open(causal::Histories& histories, std::vector<NodeId>& at, ThreadIndex thread,
          const Action& action) {
  if (histories.advance(at[thread], causal::Event{.action = action}, &at[thread])) return false;
  histories.opens_with(at[thread]);
  return true;
}

}  // namespace

std::optional<NodeId> Window::event(std::size_t step) const {
  const auto it = event_of_.find(step);
  return it != event_of_.end() ? std::optional(it->second) : std::nullopt;
}

std::optional<NodeId> Window::before(std::size_t step) const {
  const std::optional<NodeId> id = event(step);
  return id ? std::optional(histories_.node(*id).parent) : std::nullopt;
}

Windows::Windows(const RecordedSteps& recorded, std::size_t events) : recorded_(recorded) {
  for (ThreadIndex t = 0; t < recorded_.histories.threads(); ++t)
    last_of_.push_back(recorded_.histories.root(t));
  for (const CausalStep& step : recorded_.steps)
    last_of_[step.thread] = recorded_.histories.node(step.at).children.front();
  causal::World world(recorded_.histories);
  const std::size_t steps = recorded_.steps.size();
  std::size_t since = 0;  // events since the last border
  for (std::size_t i = 0; i < steps; ++i) {
    if (list_.empty() || (events > 0 && since >= events / 2)) {
      Window window;
      window.recorded_ = &recorded_;
      if (begin(window, world, i)) {
        fill(window, world, events);
        const bool last = window.end_ == steps;
        list_.push_back(std::move(window));
        if (last) break;
        since = 0;
      }
    }
    if (is_event(i)) ++since;
    world.execute(recorded_.moves[i]);
  }
}

const Window* Windows::of(std::span<const std::size_t> steps) const {
  const auto [first, last] = std::minmax_element(steps.begin(), steps.end());
  const auto after = std::upper_bound(
      list_.begin(), list_.end(), *first,
      [](std::size_t step, const Window& window) { return step < window.first(); });
  if (after == list_.begin()) return nullptr;
  const Window& window = *std::prev(after);
  return window.contains(*last) ? &window : nullptr;
}

const causal::Event& Windows::event(std::size_t step) const {
  // One execution: nothing branches.
  const causal::Node& at = recorded_.histories.node(recorded_.steps[step].at);
  return recorded_.histories.node(at.children.front()).event;
}

bool Windows::is_event(std::size_t step) const {
  return event(step).action.kind != ActionKind::kNothing;
}

// The state at the border as events that have happened: whoever waits first, because others may
// hold the lock that it gave up; then what the rest hold.
bool Windows::begin(Window& window, const causal::World& world, std::size_t first) const {
  const std::uint32_t threads = recorded_.histories.threads();
  window.first_ = first;
  window.histories_.root(threads - 1);
  window.steps_of_.resize(threads);
  std::vector<NodeId> at;
  for (ThreadIndex t = 0; t < threads; ++t) at.push_back(window.histories_.root(t));
  const auto waits = [&](ThreadIndex t) {
    return recorded_.histories.node(world.at(t)).event.action.kind == ActionKind::kWait;
  };
  std::set<std::uint64_t> taken;
  const auto hold = [&](ThreadIndex t) {
    for (const auto& [lock, count] : world.held(t)) {
      taken.insert(lock);
      const Action action{.kind = count < 0 ? ActionKind::kShare : ActionKind::kLock,
                          .object = lock};
      for (int i = 0; i < std::abs(count); ++i) {
        if (!open(window.histories_, at, t, action)) return false;
      }
    }
    return true;
  };
  for (ThreadIndex t = 0; t < threads; ++t) {
    if (world.exists(t)) ++window.existing_;
    if (!world.exists(t) || !waits(t)) continue;
    if (world.is_signalled(t)) return false;
    const Action& wait = recorded_.histories.node(world.at(t)).event.action;
    if (!hold(t) || taken.contains(wait.other)) return false;
    const Action lock{.kind = ActionKind::kLock, .object = wait.other};
    if (!open(window.histories_, at, t, lock) || !open(window.histories_, at, t, wait))
      return false;
  }
  for (ThreadIndex t = 0; t < threads; ++t) {
    if (!world.exists(t) || waits(t)) continue;
    if (!hold(t)) return false;
    if (world.has_ended(t) && !open(window.histories_, at, t, {.kind = ActionKind::kEnd}))
      return false;
    if (world.has_ended(t)) window.histories_.ended(at[t]);
  }
  return true;
}

void Windows::fill(Window& window, const causal::World& world, std::size_t events) const {
  causal::Histories& histories = window.histories_;
  std::vector<NodeId> at;
  for (ThreadIndex t = 0; t < histories.threads(); ++t) at.push_back(histories.root(t));
  for (const NodeId id : histories.opening()) at[histories.node(id).thread] = id;
  std::set<ThreadIndex> created;
  std::size_t i = window.first_;
  for (; i < recorded_.steps.size() && (events == 0 || window.events_ < events); ++i) {
    const ThreadIndex t = recorded_.steps[i].thread;
    window.steps_of_[t].push_back(i);
    if (!is_event(i)) continue;
    const causal::Event& e = event(i);
    const Action& a = e.action;
    const causal::Node& known = recorded_.histories.node(recorded_.steps[i].at);
    if (is_access(a.kind)) {
      const std::string bytes = world.bytes(a.address, a.size);
      for (std::uint32_t b = 0; b < a.size; ++b)
        if (!histories.initial(a.address + b))
          histories.begins_with(a.address + b, static_cast<std::uint8_t>(bytes[b]));
    }
    if (a.kind == ActionKind::kPost || a.kind == ActionKind::kDown ||
        a.kind == ActionKind::kTryDown)
      histories.semaphore_begins_with(a.object, world.semaphore(a.object));
    if (a.kind == ActionKind::kPass) {
      const std::string bytes = world.bytes(a.object, sizeof a.other);
      for (std::size_t b = 0; b < bytes.size(); ++b)
        if (!histories.initial(a.object + b))
          histories.begins_with(a.object + b, static_cast<std::uint8_t>(bytes[b]));
    }
    if (a.kind == ActionKind::kCreate) created.insert(static_cast<ThreadIndex>(a.object));
    histories.announce(at[t], a, known.could_move);
    if (known.idle) histories.idles(at[t]);
    histories.advance(at[t], e, &at[t]);
    if (a.kind == ActionKind::kEnd) histories.ended(at[t]);
    window.event_of_[i] = at[t];
    window.step_of_[at[t]] = i;
    ++window.events_;
  }
  window.end_ = i;
  // What comes next is known, even if it is not in the window.
  std::vector<bool> announced(histories.threads(), false);
  for (; i < recorded_.steps.size(); ++i) {
    const ThreadIndex t = recorded_.steps[i].thread;
    if (announced[t] || !is_event(i)) continue;
    announced[t] = true;
    const causal::Node& known = recorded_.histories.node(recorded_.steps[i].at);
    histories.announce(at[t], event(i).action, known.could_move);
    if (std::all_of(announced.begin(), announced.end(), [](bool one) { return one; })) break;
  }
  for (ThreadIndex t = 0; t < histories.threads(); ++t) {
    if (!world.exists(t) && !created.contains(t)) histories.ended(at[t]);
    if (announced[t]) continue;
    // Its last step is in the window, or before it.
    const causal::Node& last = recorded_.histories.node(last_of_[t]);
    if (last.ends) histories.ended(at[t]);
    if (last.next && last.children.empty() && last.next->kind != ActionKind::kNothing)
      histories.announce(at[t], *last.next, last.could_move);
  }
}

// Threads have numbers by the order of their creation.
std::map<ThreadIndex, ThreadId> Window::numbers_after(
    const std::vector<causal::Move>& schedule) const {
  std::map<ThreadIndex, ThreadId> numbers;
  for (std::size_t i = 0; i < existing_; ++i)
    numbers[recorded_->thread_of[i]] = ThreadId{static_cast<std::uint16_t>(i)};
  auto next = static_cast<std::uint16_t>(existing_);
  causal::World world(histories_);
  for (const causal::Move& move : schedule) {
    const NodeId to = move.to != causal::kNoNode ? move.to : world.after(move.thread);
    const Action& action = histories_.node(to).event.action;
    if (action.kind == ActionKind::kCreate)
      numbers[static_cast<ThreadIndex>(action.object)] = ThreadId{next++};
    world.execute(move);
  }
  return numbers;
}

ThreadId Window::number(const std::vector<causal::Move>& schedule, ThreadIndex thread) const {
  return numbers_after(schedule).at(thread);
}

std::vector<StepRecord> Window::choices(const std::vector<causal::Move>& schedule,
                                        std::span<const ThreadIndex> standing) const {
  const RecordedSteps& all = *recorded_;
  std::vector<StepRecord> records;
  const std::size_t border = first_ < all.steps.size() ? all.steps[first_].step : all.log.size();
  for (const StepRecord& r : all.log.first(border)) {
    if (r.op == OpKind::value_choice) {
      records.push_back(r);
    } else {
      records.push_back({r.thread, OpKind::none, 0, kNoObject, 0});
    }
  }
  const std::map<ThreadIndex, ThreadId> numbers = numbers_after(schedule);
  std::vector<std::size_t> done(steps_of_.size(), 0);  // of each thread's steps
  const auto step = [&](ThreadIndex t) {
    records.push_back({numbers.at(t), OpKind::none, 0, kNoObject, 0});
    ++done[t];
  };
  causal::World world(histories_);
  for (const causal::Move& move : schedule) {
    const NodeId to = move.to != causal::kNoNode ? move.to : world.after(move.thread);
    const std::size_t at = step_of_.at(to);
    while (steps_of_[move.thread][done[move.thread]] != at) step(move.thread);
    step(move.thread);
    if (move.could_wake > 1)
      records.push_back({records.back().thread, OpKind::value_choice,
                         static_cast<std::uint8_t>(move.woken), ObjectId{move.could_wake}, 0});
    world.execute(move);
  }
  for (const ThreadIndex t : standing) {
    const auto& own = steps_of_[t];
    while (done[t] < own.size() && !event_of_.contains(own[done[t]]) && numbers.contains(t))
      step(t);
  }
  return records;
}

}  // namespace raddle
