#include "host/campaign/minimize/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>

#include "target/strategy/guided.hpp"
#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

// A program on paper: threads with locks. It fails when the steps named by `before` come in that
// order.
struct Step {
  enum What { kPlain, kLock, kUnlock } what = kPlain;
  int lock = 0;
};
struct Place {
  int thread;
  int step;
};
struct Program {
  std::vector<std::vector<Step>> threads;
  std::vector<std::pair<Place, Place>> before;  // first of the pair, then the second
};

struct State {
  std::vector<int> done;
  std::vector<int> owner;  // of each lock, -1: free
  auto operator<=>(const State&) const = default;
};

State start_of(const Program& program) {
  return {std::vector<int>(program.threads.size(), 0), {-1, -1}};
}

bool enabled(const Program& program, const State& state, int thread) {
  const auto& steps = program.threads[thread];
  const int at = state.done[thread];
  if (at == static_cast<int>(steps.size())) return false;
  return steps[at].what != Step::kLock || state.owner[steps[at].lock] < 0;
}

// False: an order that the failure needs cannot come about any more.
bool move(const Program& program, State& state, int thread) {
  const int at = state.done[thread]++;
  const Step& step = program.threads[thread][at];
  if (step.what == Step::kLock) state.owner[step.lock] = thread;
  if (step.what == Step::kUnlock) state.owner[step.lock] = -1;
  return std::none_of(program.before.begin(), program.before.end(), [&](const auto& pair) {
    const auto& [first, second] = pair;
    return second.thread == thread && second.step == at && state.done[first.thread] <= first.step;
  });
}

struct Ran {
  std::vector<StepRecord> log;
  ScheduleCost cost;
  bool failed = true;
};

template <class Choose>
Ran execute(const Program& program, const Choose& choose) {
  Ran ran;
  State state = start_of(program);
  int current = 0;
  for (;;) {
    std::vector<Pending> pending;
    for (int t = 0; t < static_cast<int>(program.threads.size()); ++t) {
      if (enabled(program, state, t)) pending.push_back(operation(t, OpKind::mutex_lock, 1));
    }
    if (pending.empty()) break;
    std::vector<const Pending*> view;
    for (const Pending& p : pending) view.push_back(&p);
    const int next = raw(view.at(choose(View{view, ThreadId(current), ran.cost.steps}))->thread);
    if (next != current) {
      ++ran.cost.switches;
      if (enabled(program, state, current)) ++ran.cost.preemptions;
    }
    current = next;
    if (!move(program, state, next)) ran.failed = false;
    ++ran.cost.steps;
    ran.log.push_back(
        {ThreadId(static_cast<std::uint16_t>(next)), OpKind::mutex_lock, 0, ObjectId{1}, 0});
  }
  return ran;
}

Attempt attempt_of(const Program& program) {
  return [&program](const Schedule& schedule) -> std::optional<Attempted> {
    memory().clear();
    const std::vector<StepRecord> guide = guide_of(schedule);
    Strategy& strategy = *make_guided(guide, allocate);
    const Ran ran = execute(program, [&](const View& view) { return strategy.choose(view); });
    if (!ran.failed) return std::nullopt;
    return Attempted{schedule_of(ran.log), ran.cost};
  };
}

// The oracle: the least preemptions of all failing executions, by walking all states in the order
// of their preemptions.
std::uint64_t fewest_preemptions(const Program& program) {
  using Node = std::pair<State, int>;  // and who ran last
  std::map<Node, std::uint64_t> seen;
  std::deque<std::pair<Node, std::uint64_t>> open = {{{start_of(program), 0}, 0}};
  while (!open.empty()) {
    const auto [node, cost] = open.front();
    open.pop_front();
    const auto& [state, current] = node;
    if (const auto [known, is_new] = seen.try_emplace(node, cost); !is_new) {
      if (known->second <= cost) continue;
      known->second = cost;
    }
    bool moved = false;
    for (int t = 0; t < static_cast<int>(program.threads.size()); ++t) {
      if (!enabled(program, state, t)) continue;
      moved = true;
      State next = state;
      if (!move(program, next, t)) continue;
      const bool preempts = t != current && enabled(program, state, current);
      if (preempts) {
        open.push_back({{next, t}, cost + 1});
      } else {
        open.push_front({{next, t}, cost});
      }
    }
    if (!moved) return cost;
  }
  ADD_FAILURE() << "no execution fails";
  return 0;
}

// Threads of up to 8 steps, some of them in critical sections, and an execution of them at random;
// the failure is that some of its steps come in the order that they had in it.
std::pair<Program, Ran> random_case(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Program program;
  const int threads = 2 + below(2);
  for (int t = 0; t < threads; ++t) {
    std::vector<Step> steps;
    for (int parts = 1 + below(3); parts > 0; --parts) {
      const int lock = below(3);
      if (lock < 2) steps.push_back({Step::kLock, lock});
      steps.push_back({});
      if (lock < 2) steps.push_back({Step::kUnlock, lock});
    }
    program.threads.push_back(std::move(steps));
  }
  Ran ran = execute(program, [&](const View& view) {
    return static_cast<std::size_t>(below(static_cast<int>(view.enabled.size())));
  });
  std::vector<Place> order;
  std::vector<int> made(threads, 0);
  for (const StepRecord& record : ran.log) {
    order.push_back({raw(record.thread), made[raw(record.thread)]++});
  }
  for (int pairs = 1 + below(4); pairs > 0; --pairs) {
    const std::size_t second = 1 + below(static_cast<int>(order.size()) - 1);
    const std::size_t first = below(static_cast<int>(second));
    if (order[first].thread != order[second].thread) {
      program.before.emplace_back(order[first], order[second]);
    }
  }
  return {std::move(program), std::move(ran)};
}

TEST(Turns, OfALog) {
  const auto record = [](int thread, OpKind op = OpKind::yield) {
    return StepRecord{ThreadId(static_cast<std::uint16_t>(thread)), op, 1, ObjectId{2}, 7};
  };
  const std::vector<StepRecord> log = {record(0), record(0), record(1, OpKind::value_choice),
                                       record(1), record(0), record(2),
                                       record(2)};
  const Schedule schedule = schedule_of(log);
  const std::vector<Turn> turns = {
      {ThreadId{0}, 2}, {ThreadId{1}, 1}, {ThreadId{0}, 3}, {ThreadId{2}, 2}};
  EXPECT_EQ(schedule.turns, turns);
  ASSERT_EQ(schedule.values.size(), 1U);
  EXPECT_EQ(guide_of(schedule).size(), 5U);
  EXPECT_TRUE(schedule_of({}).turns.empty());
}

TEST(Shrink, AgainstTheFewestPreemptionsThereAre) {
  std::mt19937 random(1);
  int more = 0;
  constexpr int kCases = 3000;
  for (int i = 0; i < kCases; ++i) {
    const auto [program, ran] = random_case(random);
    ASSERT_TRUE(ran.failed);
    const Attempted first{schedule_of(ran.log), ran.cost};
    const Shrunk shrunk = shrink(first, {.attempt = attempt_of(program)});
    EXPECT_TRUE(shrunk.complete);
    EXPECT_LE(shrunk.best.cost, ran.cost);
    // What it says is what happens.
    const auto again = attempt_of(program)(shrunk.best.schedule);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->cost, shrunk.best.cost);
    const std::uint64_t fewest = fewest_preemptions(program);
    ASSERT_GE(shrunk.best.cost.preemptions, fewest);
    more += shrunk.best.cost.preemptions > fewest ? 1 : 0;
    EXPECT_LE(shrunk.best.cost.preemptions, fewest + 2) << "case " << i;
  }
  // Descent by small moves may end beside the best: seldom, and not far from it.
  EXPECT_LE(more, kCases / 100);
  RecordProperty("more_than_the_fewest", more);
}

TEST(Shrink, TheSameAnswersGiveTheSameResult) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const auto [program, ran] = random_case(random);
    const Attempted first{schedule_of(ran.log), ran.cost};
    const Shrunk one = shrink(first, {.attempt = attempt_of(program)});
    const Shrunk two = shrink(first, {.attempt = attempt_of(program)});
    EXPECT_EQ(one.best.schedule.turns, two.best.schedule.turns);
    EXPECT_EQ(one.attempts, two.attempts);
  }
}

TEST(Shrink, StopsWhenItIsOverAndKeepsTheBest) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const auto [program, ran] = random_case(random);
    const Attempted first{schedule_of(ran.log), ran.cost};
    std::uint64_t left = i % 10;
    ShrinkControl control{.attempt = attempt_of(program)};
    control.over = [&] { return left-- == 0; };
    const Shrunk shrunk = shrink(first, control);
    EXPECT_LE(shrunk.attempts, static_cast<std::uint64_t>(i % 10));
    EXPECT_LE(shrunk.best.cost, ran.cost);
  }
}

TEST(Shrink, WhatIsNotAcceptedDoesNotCount) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const auto [program, ran] = random_case(random);
    const Attempted first{schedule_of(ran.log), ran.cost};
    ShrinkControl control{.attempt = attempt_of(program)};
    control.accept = [](const Attempted&) { return false; };
    EXPECT_EQ(shrink(first, control).best.schedule.turns, first.schedule.turns);
  }
}

TEST(Shrink, AnExecutionWithoutStepsIsLeftAlone) {
  const Shrunk shrunk = shrink({}, {.attempt = [](const Schedule&) { return std::nullopt; }});
  EXPECT_TRUE(shrunk.complete);
  EXPECT_TRUE(shrunk.best.schedule.turns.empty());
}

}  // namespace
}  // namespace raddle
