#include "host/campaign/harm/unit_order.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace raddle {
namespace {

// A digit is a step of that thread, 'v' a value choice of thread 1.
std::vector<StepRecord> log_of(std::string_view text) {
  std::vector<StepRecord> log;
  for (const char c : text) {
    const bool value = c == 'v';
    const auto thread = static_cast<ThreadId>(value ? 1 : c - '0');
    log.push_back({thread, value ? OpKind::value_choice : OpKind::mutex_lock, 0, kNoObject, 0});
  }
  return log;
}

constexpr ThreadId kOne{1};
constexpr ThreadId kTwo{2};

TEST(UnitOrder, CountsTheStepsOfAThread) {
  const std::vector<StepRecord> log = log_of("0121v1");
  const StepCounts counts(log);
  EXPECT_EQ(counts.of(kOne, 0), 0u);
  EXPECT_EQ(counts.of(kOne, 4), 2u);
  EXPECT_EQ(counts.of(kOne, 6), 3u);
  EXPECT_EQ(counts.of(kTwo, 99), 1u);
}

TEST(UnitOrder, WhatOthersDidInBetweenComesBeforeBoth) {
  // The unit of 1 begins at step 2, that of 2 at step 6; 0 and 2 do something in between.
  const UnitOrder order = common_order(log_of("01102022110"), kOne, 2, 6);
  const std::vector<Turn> before = {
      {ThreadId{0}, 1}, {kOne, 1}, {ThreadId{0}, 2}, {kTwo, 1}, {ThreadId{0}, 3}};
  EXPECT_EQ(order.before, before);
}

TEST(UnitOrder, AnExecutionFollowsOrDoesNot) {
  UnitOrder order;
  order.before = {{ThreadId{0}, 1}};
  order.units = {{kOne, 2}, {kTwo, 2}};
  EXPECT_EQ(followed(order, log_of("011220")), 5u);
  EXPECT_EQ(followed(order, log_of("01v1220")), 6u);
  EXPECT_EQ(followed(order, log_of("012120")), std::nullopt);  // somebody ran in between
  EXPECT_EQ(followed(order, log_of("0110220")), std::nullopt);
  EXPECT_EQ(followed(order, log_of("0112")), std::nullopt);  // it ended before
}

}  // namespace
}  // namespace raddle
