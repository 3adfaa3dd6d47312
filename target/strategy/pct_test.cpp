#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

Plan pct(std::uint64_t seed, std::uint32_t depth, std::uint64_t steps) {
  Plan plan = plan_for("pct", seed);
  plan.pct_depth = depth;
  plan.pct_steps = steps;
  return plan;
}

// The number of turns: how often the running thread changes, plus one.
std::size_t runs_of(const std::vector<int>& order) {
  std::size_t runs = 1;
  for (std::size_t i = 1; i < order.size(); ++i) runs += order[i] != order[i - 1] ? 1 : 0;
  return runs;
}

TEST(Pct, WithoutChangePointsNothingIsPreempted) {
  std::vector<Body> threads;
  for (int t = 0; t < 5; ++t) threads.push_back(repeated(t, 20, 1));
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    EXPECT_EQ(runs_of(run(make_strategy(pct(seed, 1, 100)), threads)), 5U) << "seed " << seed;
  }
}

TEST(Pct, EveryOrderOfPrioritiesIsEquallyLikely) {
  // 5 threads, 120 orders, 12,000 seeds: 100 each, sigma = sqrt(100 * 119/120) = 10. Six sigma are
  // allowed; chance exceeds that in one of 120 cells once in 4 * 10^6. The threads come into being
  // one after the other, as in a program.
  std::vector<Body> threads;
  for (int t = 0; t < 5; ++t) threads.push_back(repeated(t, 1, 1));
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 12'000; ++seed) {
    ++seen[text_of(run(make_strategy(pct(seed, 1, 5)), threads))];
  }
  ASSERT_EQ(seen.size(), 120U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 100, 60) << order;
}

TEST(Pct, EachChangePointPreemptsAtMostOnce) {
  std::vector<Body> threads = {repeated(0, 30, 1), repeated(1, 30, 1), repeated(2, 30, 1)};
  for (std::uint32_t depth = 1; depth <= 6; ++depth) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      std::vector<int> order = run(make_strategy(pct(seed, depth, 90)), threads);
      EXPECT_LE(runs_of(order), 3U + depth - 1) << "seed " << seed << ", depth " << depth;
    }
  }
}

TEST(Pct, FindsABugOfDepthTwoAsOftenAsThePaperPromises) {
  // n = 2 threads of 10 steps, k = 20. The bug: thread 1 begins exactly between the 5th and the 6th
  // step of thread 0. The paper's bound is 1 / (n * k^(d-1)) = 1 / (2 * 20) = 1/40, and here it is
  // exact: thread 0 must have the higher priority (1/2) and the one change point must be its 6th
  // step (1/20). 40,000 seeds: 1,000 expected, sigma = sqrt(1000 * 39/40) = 31.2; six of them are
  // allowed.
  std::vector<Body> threads = {repeated(0, 10, 1), repeated(1, 10, 1)};
  int found = 0;
  for (std::uint64_t seed = 0; seed < 40'000; ++seed) {
    std::vector<int> order = run(make_strategy(pct(seed, 2, 20)), threads);
    auto first = std::find(order.begin(), order.end(), 1) - order.begin();
    found += first == 5 ? 1 : 0;
  }
  EXPECT_NEAR(found, 1000, 6 * 31.2);
}

TEST(Pct, DepthThreeNeedsBothChangePoints) {
  // Thread 1 must run exactly between the 2nd and the 3rd step of thread 0, and be preempted after
  // its own 1st step: 0 0 1 0 ... With n = 2, k = 8, d = 3 the bound is 1 / (2 * 64) = 1/128.
  // 25,600 seeds: at least 200 expected, sigma = sqrt(200 * 127/128) = 14.1; six of them are
  // allowed below.
  std::vector<Body> threads = {repeated(0, 4, 1), repeated(1, 4, 1)};
  int found = 0;
  for (std::uint64_t seed = 0; seed < 25'600; ++seed) {
    std::string order = text_of(run(make_strategy(pct(seed, 3, 8)), threads));
    found += order.substr(0, 4) == "0010" ? 1 : 0;
  }
  EXPECT_GE(found, 200 - 6 * 14.1);
}

TEST(Pct, AThreadThatYieldsGivesWay) {
  // Whatever the priorities, a thread that only yields does not keep the other from its one step.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<Body> threads = {repeated(0, 50, 0, OpKind::yield), repeated(1, 1, 1)};
    std::vector<int> order = run(make_strategy(pct(seed, 1, 100)), threads);
    EXPECT_EQ(order[0], 1) << "seed " << seed;
  }
}

TEST(Pct, DepthZeroIsTakenForOne) {
  std::vector<Body> threads = {repeated(0, 5, 1), repeated(1, 5, 1)};
  EXPECT_EQ(runs_of(run(make_strategy(pct(3, 0, 0)), threads)), 2U);
}

}  // namespace
}  // namespace raddle
