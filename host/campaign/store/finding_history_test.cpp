#include "host/campaign/store/finding_history.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace raddle {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

TEST(FindingHistory, FixedNeedsEnoughExecutionsOfAnotherBuild) {
  // It came in 1 of 10: 0.9 ^ 28 = 0.052, 0.9 ^ 29 = 0.047.
  std::vector<FindingLook> looks = {{1, 1, 100, 10}};
  EXPECT_EQ(state_after(looks, kAll), FindingState::kOpen);
  EXPECT_EQ(executions_until_fixed(looks), 29U);
  looks.push_back({2, 1, 100000, 0});  // the same build: the same program
  EXPECT_EQ(state_after(looks, kAll), FindingState::kOpen);
  looks.push_back({3, 2, 28, 0});
  EXPECT_EQ(state_after(looks, kAll), FindingState::kOpen);
  EXPECT_EQ(executions_until_fixed(looks), 1U);
  looks.push_back({4, 3, 1, 0});
  EXPECT_EQ(state_after(looks, kAll), FindingState::kFixed);
  EXPECT_EQ(executions_until_fixed(looks), 0U);
}

TEST(FindingHistory, BackAgainIsNotOpen) {
  std::vector<FindingLook> looks = {{1, 1, 10, 10}, {2, 2, 10, 0}, {3, 3, 10, 1}, {4, 3, 10, 0}};
  EXPECT_EQ(state_after(looks, 0), FindingState::kUnknown);
  EXPECT_EQ(state_after(looks, 1), FindingState::kOpen);
  EXPECT_EQ(state_after(looks, 2), FindingState::kFixed);
  EXPECT_EQ(state_after(looks, 3), FindingState::kBack);
  EXPECT_EQ(state_after(looks, 4), FindingState::kBack);
}

}  // namespace
}  // namespace raddle
