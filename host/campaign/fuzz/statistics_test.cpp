#include "host/campaign/fuzz/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace raddle {
namespace {

TEST(Wilson95, NoTrialsSayNothing) {
  EXPECT_EQ(wilson95(0, 0).low, 0);
  EXPECT_EQ(wilson95(0, 0).high, 1);
}

// 0 of 10: the interval is [0, z^2 / (n + z^2)] = [0, 3.8415 / 13.8415].
TEST(Wilson95, ZeroHits) {
  const Interval interval = wilson95(0, 10);
  EXPECT_EQ(interval.low, 0);
  EXPECT_NEAR(interval.high, 0.277533, 1e-6);
}

TEST(Wilson95, AllHitsMirrorZeroHits) {
  const Interval interval = wilson95(10, 10);
  EXPECT_NEAR(interval.low, 1 - 0.277533, 1e-6);
  EXPECT_EQ(interval.high, 1);
}

// 113 of 200 is 0.565; the formula, evaluated separately, gives 0.495707 to 0.631843.
TEST(Wilson95, Middle) {
  const Interval interval = wilson95(113, 200);
  EXPECT_NEAR(interval.low, 0.495707, 1e-6);
  EXPECT_NEAR(interval.high, 0.631843, 1e-6);
}

// Coverage: over all outcomes of n = 100 trials with p = 0.3, the intervals that contain p have a
// total binomial probability near 0.95 (0.9372 for these numbers).
TEST(Wilson95, CoversTheTrueRateAsOftenAsItSays) {
  constexpr int n = 100;
  constexpr double p = 0.3;
  double covered = 0;
  for (int hits = 0; hits <= n; ++hits) {
    const Interval interval = wilson95(static_cast<std::uint64_t>(hits), n);
    if (interval.low > p || interval.high < p) continue;
    covered += std::exp(std::lgamma(n + 1) - std::lgamma(hits + 1) - std::lgamma(n - hits + 1) +
                        hits * std::log(p) + (n - hits) * std::log(1 - p));
  }
  EXPECT_GT(covered, 0.93);
  EXPECT_LT(covered, 0.97);
}

}  // namespace
}  // namespace raddle
