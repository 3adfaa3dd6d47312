#include <gtest/gtest.h>

#include "protocol/turns/idle_fairness.hpp"
#include "target/strategy/replay.hpp"
#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

Strategy& systematic(std::uint64_t asleep = 0) {
  Plan plan = plan_for("systematic", 0);
  plan.asleep = asleep;
  return make_strategy(plan);
}

TEST(Systematic, NobodyIsPreempted) {
  const std::vector<Body> threads = {repeated(0, 3, 1), repeated(1, 2, 1), repeated(2, 2, 1)};
  EXPECT_EQ(text_of(run(systematic(), threads)), "0001122");
}

TEST(Systematic, WhoSleepsComesAfterWhatItDependsOn) {
  // Threads 0 and 1 use object 1, thread 2 uses object 2. Thread 0 sleeps until the first step of
  // 1.
  const std::vector<Body> threads = {repeated(0, 2, 1), repeated(1, 2, 1), repeated(2, 1, 2)};
  EXPECT_EQ(text_of(run(systematic(1), threads)), "11002");
}

TEST(Systematic, WhenAllSleepTheExecutionIsRedundant) {
  Strategy& strategy = systematic(0b101);
  const Pending first = operation(0, OpKind::mutex_lock, 1);
  const Pending second = operation(1, OpKind::mutex_lock, 2);
  const Pending third = operation(2, OpKind::mutex_lock, 3);
  const std::vector<const Pending*> all = {&first, &second, &third};
  EXPECT_EQ(strategy.choose({all, kMainThread, 0}), 1U);
  const std::vector<const Pending*> rest = {&first, &third};
  EXPECT_EQ(strategy.choose({rest, ThreadId{1}, 1}), rest.size());
}

TEST(Systematic, ASleeperIsNotWaitedForByThreadsThatTryAgain) {
  Strategy& strategy = systematic(1);
  const Pending asleep = operation(0, OpKind::mutex_lock, 1);
  const Pending spins = operation(1, OpKind::atomic_again, 2);
  const std::vector<const Pending*> all = {&asleep, &spins};
  std::size_t steps = 0;
  while (strategy.choose({all, ThreadId{1}, steps}) != all.size()) ASSERT_LT(++steps, 10U);
  EXPECT_EQ(steps, kIdleRepeats);
}

TEST(Systematic, WhoOnlyTriesAgainGivesWay) {
  const std::vector<Body> threads = {repeated(0, 6, 0, OpKind::yield), repeated(1, 2, 1)};
  // The first yield and two repetitions, then the other thread to its end, then the remaining
  // yields.
  EXPECT_EQ(text_of(run(systematic(), threads)), "00011000");
}

TEST(Systematic, StraightLineYieldsAreNoLoop) {
  Body body = repeated(0, 4, 0, OpKind::yield);
  for (std::size_t i = 0; i < body.size(); ++i) body[i].site = 100 + i;
  EXPECT_EQ(text_of(run(systematic(), {body, repeated(1, 2, 1)})), "000011");
}

TEST(Systematic, APrefixIsFollowedAndItsIdleStepsCount) {
  std::vector<Body> threads = {repeated(0, 5, 0, OpKind::yield), repeated(1, 1, 1)};
  std::vector<StepRecord> prefix(3, record_of(threads[0][0]));
  Replay replay(prefix, ReplayMode::kPrefix, systematic());
  EXPECT_EQ(text_of(run(replay, threads)), "000100");
  EXPECT_FALSE(replay.divergence().happened);
}

TEST(Systematic, ADifferenceInThePrefixIsADivergence) {
  std::vector<Body> threads = {repeated(0, 2, 1), repeated(1, 1, 1)};
  std::vector<StepRecord> prefix = {record_of(operation(0, OpKind::mutex_unlock, 1))};
  Replay replay(prefix, ReplayMode::kPrefix, systematic());
  run(replay, threads);
  ASSERT_TRUE(replay.divergence().happened);
  EXPECT_EQ(replay.divergence().step, 0U);
}

TEST(Systematic, AThreadThatPollsForEverLosesItsTurn) {
  const std::vector<Body> threads = {repeated(0, 15'000, 1), repeated(1, 1, 1)};
  const std::vector<int> order = run(systematic(), threads);
  std::size_t at = 0;
  while (order[at] != 1) ++at;
  EXPECT_LT(at, 10'100U);
}

// One round of a loop that looks under a lock: lock, unlock, yield.
Body polling(int thread, std::size_t rounds) {
  Body body;
  for (std::size_t i = 0; i < rounds; ++i) {
    body.push_back(operation(thread, OpKind::mutex_lock, 1));
    body.push_back(operation(thread, OpKind::mutex_unlock, 1));
    body.push_back(operation(thread, OpKind::yield, 0));
  }
  return body;
}

TEST(Systematic, LocksInEachRoundOfALoopAreNoProgress) {
  // One round shows the place, two more are free. Then the other thread makes its step, and the
  // loop goes on.
  EXPECT_EQ(text_of(run(systematic(), {polling(0, 5), repeated(1, 1, 2, OpKind::sem_post)})),
            "0000000000010000");
}

TEST(Systematic, LoopsThatPollDoNotKeepEachOtherGoing) {
  const std::string order = text_of(
      run(systematic(), {polling(0, 500), polling(1, 500), repeated(2, 1, 2, OpKind::sem_post)}));
  EXPECT_LT(order.find('2'), 60U);
}

TEST(IdleFairness, OthersGiveANewTurn) {
  IdleFairness::PerThread threads[2] = {};
  IdleFairness turns(threads);
  const Pending again = operation(0, OpKind::atomic_again, 1);
  for (std::uint32_t i = 0; i < kIdleRepeats; ++i) {
    EXPECT_TRUE(turns.has_turn(again));
    turns.executed(again.thread, again.op, again.site);
  }
  EXPECT_FALSE(turns.has_turn(again));
  turns.executed(ThreadId{1}, OpKind::yield, 0);
  EXPECT_FALSE(turns.has_turn(again));
  turns.executed(ThreadId{1}, OpKind::mutex_lock, 0);
  EXPECT_TRUE(turns.has_turn(again));
}

}  // namespace
}  // namespace raddle
