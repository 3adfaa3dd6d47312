#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

// Pearson's statistic: the sum of (seen - expected)^2 / expected.
double chi_square(const std::vector<double>& seen, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    sum += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  }
  return sum;
}

// With 2 degrees of freedom P(X > x) = exp(-x / 2): chance exceeds x = 42 once in 10^9.
constexpr double kBoundOf2 = 42;

TEST(Random, EveryEnabledThreadIsEquallyLikelyAtEveryStep) {
  Strategy& strategy = make_strategy(plan_for("random", 1));
  Body pending = {operation(0, OpKind::mutex_lock, 1), operation(1, OpKind::yield, 0),
                  operation(2, OpKind::sem_post, 2)};
  std::vector<const Pending*> enabled = {&pending[0], &pending[1], &pending[2]};
  constexpr int kDraws = 30'000;
  std::vector<double> seen(3, 0);
  for (int i = 0; i < kDraws; ++i) ++seen[strategy.choose({enabled, kMainThread, 0})];
  EXPECT_LT(chi_square(seen, std::vector<double>(3, kDraws / 3.0)), kBoundOf2);
}

TEST(Random, ConsecutiveSeedsAreIndependent) {
  // A campaign uses the seeds 1, 2, 3, ...: their first choices must be uniform, too.
  constexpr int kSeeds = 30'000;
  std::vector<double> seen(3, 0);
  for (int seed = 0; seed < kSeeds; ++seed) {
    Strategy& strategy = make_strategy(plan_for("random", static_cast<std::uint64_t>(seed)));
    std::vector<int> order =
        run(strategy, {repeated(0, 1, 1), repeated(1, 1, 1), repeated(2, 1, 1)});
    ++seen[static_cast<std::size_t>(order[0])];
  }
  EXPECT_LT(chi_square(seen, std::vector<double>(3, kSeeds / 3.0)), kBoundOf2);
}

TEST(Random, InterleavingsHaveTheProbabilitiesOfTheirTree) {
  // Two threads of two steps. Each step has the probability 1/2 while both are enabled, so 0011 and
  // 1100 have 1/4 and the four other orders 1/8. With 8,000 seeds: 2,000 and 1,000; sigma =
  // sqrt(8000 * 1/4 * 3/4) = 39 and sqrt(8000 * 1/8 * 7/8) = 30. Six sigma are allowed; chance
  // exceeds that once in 10^8.
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    Strategy& strategy = make_strategy(plan_for("random", seed));
    ++seen[text_of(run(strategy, {repeated(0, 2, 1), repeated(1, 2, 1)}))];
  }
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [order, count] : seen) {
    bool first_runs_through = order == "0011" || order == "1100";
    EXPECT_NEAR(count, first_runs_through ? 2000 : 1000, first_runs_through ? 6 * 39 : 6 * 30)
        << order;
  }
}

TEST(Random, ValuesAreUniform) {
  Strategy& strategy = make_strategy(plan_for("random", 7));
  std::vector<double> seen(3, 0);
  for (int i = 0; i < 30'000; ++i) ++seen.at(strategy.choose_value(kMainThread, 3));
  EXPECT_LT(chi_square(seen, std::vector<double>(3, 10'000)), kBoundOf2);
}

}  // namespace
}  // namespace raddle
