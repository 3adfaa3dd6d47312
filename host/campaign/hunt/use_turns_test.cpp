#include "host/campaign/hunt/use_turns.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

Candidate at(std::uint64_t place) {
  Candidate candidate;
  candidate.finding.place = place;
  return candidate;
}

TEST(UseTurns, EachHasItsTries) {
  UseTurns turns({at(1), at(2)});
  for (std::uint32_t i = 0; i < UseTurns::kTries; ++i) {
    EXPECT_EQ(turns.next(), 0U);
    EXPECT_EQ(turns.next(), 1U);
  }
  EXPECT_EQ(turns.next(), std::nullopt);
  EXPECT_EQ(UseTurns({}).next(), std::nullopt);
}

TEST(UseTurns, WhatWasShownIsDone) {
  UseTurns turns({at(1), at(2), at(1)});
  EXPECT_FALSE(turns.ended(0, false, false)) << "it did not come about";
  EXPECT_FALSE(turns.ended(0, false, true)) << "another failure";
  EXPECT_TRUE(turns.ended(0, true, false));
  EXPECT_FALSE(turns.ended(0, true, true)) << "the failure says it";
  EXPECT_EQ(turns.next(), 1U);
  EXPECT_EQ(turns.next(), 1U) << "the third is the same use";
  turns.shown(1);
  EXPECT_EQ(turns.next(), std::nullopt);
}

TEST(UseTurns, Bounded) {
  UseTurns turns(std::vector<Candidate>(UseTurns::kMostUses + 10, at(1)));
  std::size_t given = 0;
  while (turns.next()) ++given;
  EXPECT_EQ(given, UseTurns::kMostUses * UseTurns::kTries);
}

}  // namespace
}  // namespace raddle
