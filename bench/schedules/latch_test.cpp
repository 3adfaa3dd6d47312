#include "bench/schedules/components/latch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using components::Latch;
using twins::nap;

TEST(Latch, WaitersLeaveAtZero) {
  raddle::Schedule schedule("[beforeWait@a] && [beforeWait@b] -> beforeCount");
  Latch latch(2);
  std::atomic<int> released = 0;
  const auto wait = [&](const char* name) {
    raddle::name_thread(name);
    RADDLE_EVENT(beforeWait);
    latch.wait();
    ++released;
  };
  std::jthread a(wait, "a");
  std::jthread b(wait, "b");
  RADDLE_EVENT(beforeCount);
  EXPECT_EQ(latch.waits(), 2U);
  latch.count_down();
  EXPECT_EQ(released, 0);
  latch.count_down();
  a.join();
  b.join();
  EXPECT_EQ(released, 2);
}

TEST(LatchSleeping, WaitersLeaveAtZero) {
  Latch latch(2);
  std::atomic<int> released = 0;
  const auto wait = [&] {
    latch.wait();
    ++released;
  };
  std::jthread a(wait);
  std::jthread b(wait);
  nap(1);
  EXPECT_EQ(latch.waits(), 2U);
  latch.count_down();
  EXPECT_EQ(released, 0);
  latch.count_down();
  a.join();
  b.join();
  EXPECT_EQ(released, 2);
}

TEST(Latch, OpenLatchLetsThrough) {
  raddle::Schedule schedule("opened -> beforeWait");
  Latch latch(1);
  std::jthread opener([&] {
    latch.count_down();
    RADDLE_EVENT(opened);
  });
  RADDLE_EVENT(beforeWait);
  latch.wait();
  EXPECT_EQ(latch.waits(), 0U);
}

TEST(LatchSleeping, OpenLatchLetsThrough) {
  Latch latch(1);
  std::jthread opener([&] { latch.count_down(); });
  nap(1);
  latch.wait();
  EXPECT_EQ(latch.waits(), 0U);
}

TEST(Latch, LooksBeforeAndAfterOpening) {
  raddle::Schedule schedule("looked -> beforeOpen, opened -> beforeSecondLook");
  Latch latch(1);
  std::jthread looker([&] {
    EXPECT_FALSE(latch.wait_for(std::chrono::seconds(0)));
    RADDLE_EVENT(looked);
    RADDLE_EVENT(beforeSecondLook);
    EXPECT_TRUE(latch.wait_for(std::chrono::seconds(0)));
  });
  RADDLE_EVENT(beforeOpen);
  latch.count_down();
  RADDLE_EVENT(opened);
}

TEST(LatchSleeping, LooksBeforeAndAfterOpening) {
  Latch latch(1);
  std::jthread looker([&] {
    EXPECT_FALSE(latch.wait_for(std::chrono::seconds(0)));
    nap(2);
    EXPECT_TRUE(latch.wait_for(std::chrono::seconds(0)));
  });
  nap(1);
  latch.count_down();
}

}  // namespace
