#include "host/campaign/hunt/circumstances.hpp"

#include <gtest/gtest.h>

#include <set>

namespace raddle {
namespace {

Plan steady() { return {}; }

TEST(Circumstances, AProgramWithoutWaitsHasNone) {
  CircumstanceTurns turns(steady());
  EXPECT_FALSE(turns.any());
  EXPECT_TRUE(turns.settled());
}

TEST(Circumstances, KindsTakeTurnsAsFarAsTheProgramHasAUseForThem) {
  CircumstanceTurns turns(steady());
  turns.saw(false, true);
  for (int i = 0; i < 4; ++i) {
    Plan plan = steady();
    turns.apply(plan, 100);
    EXPECT_TRUE(plan.spurious_wakeups);
    EXPECT_EQ(plan.clock, ClockKind::kSteady);
  }
  turns.saw(true, false);
  std::set<ClockKind> clocks;
  unsigned spurious = 0;
  for (int i = 0; i < 9; ++i) {
    Plan plan = steady();
    turns.apply(plan, 100);
    clocks.insert(plan.clock);
    spurious += plan.spurious_wakeups ? 1 : 0;
    EXPECT_FALSE(plan.spurious_wakeups && plan.clock != ClockKind::kSteady) << "one at a time";
  }
  EXPECT_EQ(clocks.size(), 3U);
  EXPECT_EQ(spurious, 3U);
}

TEST(Circumstances, EachKindGetsEnough) {
  CircumstanceTurns turns(steady());
  turns.saw(true, true);
  unsigned executions = 0;
  while (!turns.settled() && executions < 1000) {
    Plan plan = steady();
    turns.apply(plan, 100);
    turns.ended(plan, true);
    ++executions;
  }
  EXPECT_EQ(executions, 60U + 60U + 200U);
}

TEST(Circumstances, AKindWhoseExecutionsHaveNoEndIsLeftOut) {
  CircumstanceTurns turns(steady());
  turns.saw(true, false);
  std::size_t adversarial = 0;
  for (int i = 0; i < 100; ++i) {
    Plan plan = steady();
    turns.apply(plan, 100);
    const bool endless = plan.clock == ClockKind::kAdversarial;
    adversarial += endless ? 1 : 0;
    turns.ended(plan, !endless);
  }
  EXPECT_EQ(adversarial, 4U);
}

// What the user asks for is in every execution, and nothing special.
TEST(Circumstances, WhatTheUserAskedForIsNone) {
  Plan asked{};
  asked.clock = ClockKind::kAdversarial;
  CircumstanceTurns turns(asked);
  turns.saw(true, false);
  EXPECT_FALSE(turns.any());
  const Circumstances met{.early_timeouts = 3, .early_time = 5, .spurious_wakeups = 2};
  EXPECT_EQ(burden_of(beyond(asked, met)), Burden::kPossible);
  EXPECT_EQ(beyond(asked, met).early_timeouts, 0U);
  asked.spurious_wakeups = true;
  EXPECT_EQ(burden_of(beyond(asked, met)), Burden::kNone);
}

TEST(Circumstances, ASecondIsRare) {
  EXPECT_EQ(burden_of({}), Burden::kNone);
  EXPECT_EQ(burden_of({.spurious_wakeups = 1}), Burden::kPossible);
  EXPECT_EQ(burden_of({.early_timeouts = 1, .early_time = 900'000'000}), Burden::kPossible);
  // The program looked at the clock some steps before the wait began.
  EXPECT_EQ(burden_of({.early_timeouts = 1, .early_time = 999'990'000}), Burden::kRare);
}

}  // namespace
}  // namespace raddle
