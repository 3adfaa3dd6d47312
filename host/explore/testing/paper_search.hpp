// Explores a program to its end and keeps what was reached: on paper, or wherever else an executor
// runs it. Not part of the library.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/explore/search.hpp"
#include "host/explore/testing/paper_program.hpp"
#include "protocol/dependence.hpp"
#include "protocol/generator.hpp"

namespace raddle::paper {

// Whether an atomic operation counts as a repetition may depend on steps that have nothing to do
// with it.
inline std::string name_of(OpKind op) {
  const bool atomic = op == OpKind::atomic_load || op == OpKind::atomic_store ||
                      op == OpKind::atomic_update || op == OpKind::atomic_again;
  return atomic ? "atomic" : op_text(op);
}

// The class of an execution: which steps of which thread come before each step. The slow and
// obvious way, from the definition; value choices belong to their steps.
inline std::string class_of(const Explored& e) {
  struct Event {
    const Pending* p;
    std::string name;
    std::set<std::size_t> before;
  };
  std::vector<Event> events;
  std::map<std::uint16_t, std::size_t> made_able;  // thread -> index of the event, plus one
  std::set<std::uint16_t> there;
  for (std::size_t step = 0; step < e.log.size(); ++step) {
    const StepRecord& record = e.log[step];
    if (record.op == OpKind::value_choice) {
      events.back().name += "=" + std::to_string(record.outcome);
      continue;
    }
    std::set<std::uint16_t> now;
    const Pending* p = nullptr;
    for (const Pending& q : e.enabled(step)) {
      now.insert(raw(q.thread));
      if (!there.contains(raw(q.thread))) made_able[raw(q.thread)] = events.size();
      if (q.thread == record.thread) p = &q;
    }
    there = now;
    Event event{p, std::to_string(p->site) + name_of(p->op), {}};
    bool own = false;
    for (std::size_t i = events.size(); i-- > 0;) {
      const bool same = events[i].p->thread == p->thread;
      // It made this thread able to move, after the last step of this thread itself.
      const bool enabled_it = made_able[raw(p->thread)] == i + 1 && !own;
      own |= same;
      if (!dependent(*events[i].p, *p) && !enabled_it) continue;
      event.before.insert(i);
      event.before.insert(events[i].before.begin(), events[i].before.end());
    }
    events.push_back(event);
  }
  // Independent of the order of the log: each event by its thread and its place there.
  std::vector<std::size_t> place(events.size());
  std::map<std::uint16_t, std::size_t> counts;
  for (std::size_t i = 0; i < events.size(); ++i) place[i] = counts[raw(events[i].p->thread)]++;
  std::map<std::pair<std::uint16_t, std::size_t>, std::string> lines;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::set<std::pair<std::uint16_t, std::size_t>> before;
    for (const std::size_t b : events[i].before)
      before.insert({raw(events[b].p->thread), place[b]});
    std::string line = events[i].name + "<";
    for (const auto& [t, n] : before) line += std::to_string(t) + "." + std::to_string(n) + " ";
    lines[{raw(events[i].p->thread), place[i]}] = line;
  }
  std::string text;
  for (const auto& [key, line] : lines) text += line + ";";
  return text;
}

// The same, quick enough for millions: how many steps of each thread come before each step. Not to
// be read; equal where class_of() is equal.
inline std::string quick_class_of(const Explored& e) {
  constexpr std::size_t kThreads = 8;
  struct Event {
    const Pending* p;
    std::uint8_t value;
    std::uint8_t before[kThreads];
  };
  static thread_local std::vector<Event> events;
  events.clear();
  std::size_t made_able[kThreads] = {};
  std::uint8_t steps[kThreads] = {};
  std::uint64_t there = 0;
  for (std::size_t step = 0; step < e.log.size(); ++step) {
    const StepRecord& record = e.log[step];
    if (record.op == OpKind::value_choice) {
      events.back().value =
          static_cast<std::uint8_t>(events.back().value * 16 + record.outcome + 1);
      continue;
    }
    std::uint64_t now = 0;
    Event event{};
    for (const Pending& q : e.enabled(step)) {
      const std::uint64_t bit = std::uint64_t{1} << raw(q.thread);
      now |= bit;
      if ((there & bit) == 0) made_able[raw(q.thread)] = events.size();
      if (q.thread == record.thread) event.p = &q;
    }
    there = now;
    const std::uint16_t thread = raw(record.thread);
    bool own = false;
    for (std::size_t i = events.size(); i-- > 0;) {
      const bool enabled_it = made_able[thread] == i + 1 && !own;
      own |= events[i].p->thread == record.thread;
      if (!enabled_it && !dependent(*events[i].p, *event.p)) continue;
      for (std::size_t t = 0; t < kThreads; ++t)
        event.before[t] = std::max(event.before[t], events[i].before[t]);
    }
    event.before[thread] = ++steps[thread];  // itself included
    events.push_back(event);
  }
  std::string text;
  for (std::uint16_t t = 0; t < kThreads; ++t) {
    for (const Event& event : events) {
      if (raw(event.p->thread) != t) continue;
      text.append(reinterpret_cast<const char*>(&event.p->site), sizeof event.p->site);
      text += name_of(event.p->op)[0];
      text += static_cast<char>(event.value);
      text.append(reinterpret_cast<const char*>(event.before), kThreads);
    }
  }
  return text;
}

struct Reached {
  std::set<std::string> states;  // of executions that passed
  std::set<std::string> failures;
  std::map<std::string, int> classes;  // of executions that were not cut off: how often
  bool classes_agree = true;           // executions of one class end in the same state
  SearchCounts counts;
  bool complete = false;
};

inline constexpr std::uint64_t kTooMany = 200'000;

struct SearchLimits {
  std::uint64_t executions = kTooMany;
  std::uint64_t failing = ~std::uint64_t{0};
};

using ClassOf = std::string (*)(const Explored&);

// `final_state` says how the executor's last execution ended. Failing ones that were cut off in the
// middle are of no class, nor is any with an empty name. Null: nobody asks for classes.
inline Reached explore_with(Executor& executor, const std::function<std::string()>& final_state,
                            const SearchOptions& options, ClassOf classify,
                            const SearchLimits& limits) {
  Search search(options);
  Reached reached;
  std::map<std::string, std::string> state_of;  // class -> how it ended
  Work work;
  while (search.counts().executions < limits.executions &&
         search.counts().failing < limits.failing && search.next(work)) {
    const Explored* e = executor.execute(work.request());
    EXPECT_NE(e->outcome, OutcomeKind::kDiverged);
    EXPECT_TRUE(e->log.size() >= work.prefix.size());
    if (!e->redundant) {
      if (e->failing) reached.failures.insert(std::string(e->group));
      if (!e->failing) reached.states.insert(final_state());
      const bool cut = e->failing && e->outcome != OutcomeKind::kDeadlock;
      const std::string name = classify != nullptr && !cut ? classify(*e) : "";
      if (!name.empty()) {
        const std::string end = final_state() + std::string(e->group);
        ++reached.classes[name];
        reached.classes_agree &= state_of.emplace(name, end).first->second == end;
      }
    }
    search.done(work, *e);
  }
  reached.counts = search.counts();
  reached.complete = search.complete();
  if (reached.complete) {
    EXPECT_EQ(search.live_nodes(), 0U);
  }
  return reached;
}

inline Reached explore(const Program& program, const SearchOptions& options,
                       bool with_classes = false, std::uint64_t limit = kTooMany) {
  PaperExecutor executor(program);
  return explore_with(executor, [&] { return executor.final_state(); }, options,
                      with_classes ? class_of : nullptr, {limit});
}

inline Reached explore(const Program& program, SearchOrder order, bool with_classes = false,
                       std::uint64_t limit = kTooMany) {
  SearchOptions options;
  options.order = order;
  return explore(program, options, with_classes, limit);
}

}  // namespace raddle::paper
