#include "target/strategy/guided.hpp"

#include <gtest/gtest.h>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

StepRecord turn(int thread, std::uint64_t until) {
  return {static_cast<ThreadId>(thread), OpKind::none, 0, kNoObject, until};
}

StepRecord value(int thread, std::uint8_t chosen, std::uint32_t count) {
  return {static_cast<ThreadId>(thread), OpKind::value_choice, chosen, ObjectId{count}, 0};
}

Strategy& guided(const std::vector<StepRecord>& guide) {
  memory().clear();
  return *make_guided(guide, allocate);
}

std::string order_with(const std::vector<StepRecord>& guide, const std::vector<Body>& threads) {
  return text_of(run(guided(guide), threads));
}

const std::vector<Body> kThree = {repeated(0, 3, 1), repeated(1, 3, 1), repeated(2, 3, 1)};

TEST(Guided, WithoutAGuideEachThreadRunsToItsEnd) {
  EXPECT_EQ(order_with({}, kThree), "000111222");
}

TEST(Guided, FollowsItsTurns) {
  EXPECT_EQ(order_with({turn(1, 1), turn(0, 2), turn(2, 3), turn(1, 3), turn(0, 3)}, kThree),
            "100222110");
}

TEST(Guided, ATurnCountsFromTheThreadsBeginning) {
  // Without its first turn, thread 1 makes those steps in its second.
  EXPECT_EQ(order_with({turn(1, 1), turn(0, 1), turn(1, 3)}, kThree), "101122200");
  EXPECT_EQ(order_with({turn(0, 1), turn(1, 3)}, kThree), "011122200");
}

TEST(Guided, ATurnThatIsOverIsSkipped) {
  EXPECT_EQ(order_with({turn(1, 2), turn(1, 1), turn(0, 0), turn(2, 1)}, kThree), "112220001");
}

TEST(Guided, AThreadThatCannotMoveLosesItsTurn) {
  // Thread 5 never comes into being, and thread 0 makes fewer than 9 steps.
  EXPECT_EQ(order_with({turn(5, 2), turn(0, 9), turn(2, 1)}, kThree), "000222111");
}

TEST(Guided, WhoWaitedLongestIsNextWhenAThreadEnds) {
  const std::vector<Body> threads = {repeated(0, 1, 1), repeated(1, 2, 1), repeated(2, 2, 1)};
  EXPECT_EQ(order_with({turn(2, 1), turn(1, 1)}, threads), "21102");
}

TEST(Guided, WhoGivesWayIsLeft) {
  const Body polite = {operation(0, OpKind::mutex_lock, 1), operation(0, OpKind::yield, 0),
                       operation(0, OpKind::mutex_lock, 1)};
  EXPECT_EQ(order_with({}, {polite, repeated(1, 2, 1)}), "01100");
}

TEST(Guided, AWaitThatOnlyTheAdversarialClockEndsComesLast) {
  Pending late = operation(0, OpKind::cond_wake, 1);
  late.outcome = StepOutcome::kTimeout;
  EXPECT_EQ(order_with({}, {{late, late}, repeated(1, 2, 1)}), "1100");
}

TEST(Guided, WhoPollsForEverIsLeftAfterAWhile) {
  const std::string order = order_with({}, {repeated(0, 30'000, 1), repeated(1, 1, 1)});
  EXPECT_EQ(order.find('1'), 10'000U);
}

TEST(Guided, ValuesAreAnsweredByThreadInTheirOrder) {
  const std::vector<StepRecord> guide = {turn(0, 1), value(1, 2, 3), value(2, 1, 3), value(1, 4, 5),
                                         value(1, 9, 10)};
  Strategy& strategy = guided(guide);
  EXPECT_EQ(strategy.choose_value(ThreadId{1}, 3), 2U);
  EXPECT_EQ(strategy.choose_value(ThreadId{1}, 5), 4U);
  EXPECT_EQ(strategy.choose_value(ThreadId{2}, 3), 1U);
  EXPECT_EQ(strategy.choose_value(ThreadId{2}, 3), 0U) << "no more are known";
  EXPECT_EQ(strategy.choose_value(ThreadId{1}, 2), 0U) << "9 is not among two";
}

TEST(Guided, AGuideOfNonsenseStillMakesChoices) {
  std::vector<StepRecord> guide;
  for (int i = 0; i < 1000; ++i) {
    guide.push_back({static_cast<ThreadId>(i * 7919), static_cast<OpKind>(i), std::uint8_t(i),
                     ObjectId{static_cast<std::uint32_t>(i)}, ~std::uint64_t{0} >> (i % 64)});
  }
  EXPECT_EQ(order_with(guide, kThree).size(), 9U);
}

}  // namespace
}  // namespace raddle
