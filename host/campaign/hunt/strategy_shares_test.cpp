#include "host/campaign/hunt/strategy_shares.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace raddle {
namespace {

TEST(StrategyShares, WhoPaysAlikeTakesTurns) {
  StrategyShares shares(4);
  for (std::size_t turn = 0; turn < 400; ++turn) {
    EXPECT_EQ(shares.next(), turn % 4);
    // Those of a round are told of later.
    if (turn % 8 == 7)
      for (std::size_t i = 0; i < 8; ++i) shares.add(i % 4, true);
  }
}

TEST(StrategyShares, WhatPaysGetsMoreAndNobodyLessThanHalfOfThat) {
  StrategyShares shares(3);
  std::vector<std::uint64_t> turns(3);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t one = shares.next();
    ++turns[one];
    shares.add(one, one == 1);
  }
  // The weights are 1/2, 1 and 1/2 but for the first few turns.
  EXPECT_NEAR(static_cast<double>(turns[1]), 1500, 30);
  EXPECT_NEAR(static_cast<double>(turns[0]), 750, 30);
  EXPECT_NEAR(static_cast<double>(turns[2]), 750, 30);
}

TEST(StrategyShares, ForgetsWhatNoLongerPays) {
  StrategyShares shares(2);
  for (int i = 0; i < 10'000; ++i) shares.add(0, true);
  for (int i = 0; i < 10'000; ++i) shares.add(1, false);
  EXPECT_EQ(shares.weight(0), 1);
  EXPECT_EQ(shares.weight(1), 0.5);
  for (int i = 0; i < 2000; ++i) shares.add(0, false);
  for (int i = 0; i < 200; ++i) shares.add(1, true);
  EXPECT_EQ(shares.weight(0), 0.5);
  EXPECT_EQ(shares.weight(1), 1);
}

}  // namespace
}  // namespace raddle
