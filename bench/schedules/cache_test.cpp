#include "bench/schedules/components/cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using twins::nap;
using Cache = components::Cache<int, int>;

TEST(Cache, SecondGetWaitsForTheLoad) {
  raddle::Schedule schedule("loading -> beforeSecondGet, [beforeSecondGet] -> loaded");
  Cache cache(2);
  std::jthread second([&] {
    RADDLE_EVENT(beforeSecondGet);
    EXPECT_EQ(cache.get(1, [] { return 11; }), 10);
  });
  EXPECT_EQ(cache.get(1,
                      [] {
                        RADDLE_EVENT(loading);
                        RADDLE_EVENT(loaded);
                        return 10;
                      }),
            10);
  second.join();
  EXPECT_EQ(cache.waits(), 1U);
}

TEST(CacheSleeping, SecondGetWaitsForTheLoad) {
  Cache cache(2);
  std::jthread second([&] {
    nap(1);
    EXPECT_EQ(cache.get(1, [] { return 11; }), 10);
  });
  EXPECT_EQ(cache.get(1,
                      [] {
                        nap(2);
                        return 10;
                      }),
            10);
  second.join();
  EXPECT_EQ(cache.waits(), 1U);
}

TEST(Cache, InvalidatedWhileItLoads) {
  raddle::Schedule schedule("loading -> beforeInvalidate, invalidated -> loaded");
  Cache cache(2);
  std::jthread changer([&] {
    RADDLE_EVENT(beforeInvalidate);
    cache.invalidate(1);
    RADDLE_EVENT(invalidated);
  });
  EXPECT_EQ(cache.get(1,
                      [] {
                        RADDLE_EVENT(loading);
                        RADDLE_EVENT(loaded);
                        return 10;
                      }),
            10);
  EXPECT_FALSE(cache.contains(1));
  EXPECT_EQ(cache.get(1, [] { return 20; }), 20);
}

TEST(CacheSleeping, InvalidatedWhileItLoads) {
  Cache cache(2);
  std::jthread changer([&] {
    nap(1);
    cache.invalidate(1);
  });
  EXPECT_EQ(cache.get(1,
                      [] {
                        nap(2);
                        return 10;
                      }),
            10);
  EXPECT_FALSE(cache.contains(1));
  EXPECT_EQ(cache.get(1, [] { return 20; }), 20);
}

TEST(Cache, WaiterLoadsAfterAFailedLoad) {
  raddle::Schedule schedule("loading -> beforeSecondGet, [beforeSecondGet] -> failing");
  Cache cache(2);
  std::jthread second([&] {
    RADDLE_EVENT(beforeSecondGet);
    EXPECT_EQ(cache.get(1, [] { return 20; }), 20);
  });
  const auto fail = []() -> int {
    RADDLE_EVENT(loading);
    RADDLE_EVENT(failing);
    throw std::runtime_error("no such value");
  };
  EXPECT_THROW(cache.get(1, fail), std::runtime_error);
  second.join();
  EXPECT_EQ(cache.waits(), 1U);
}

TEST(CacheSleeping, WaiterLoadsAfterAFailedLoad) {
  Cache cache(2);
  std::jthread second([&] {
    nap(1);
    EXPECT_EQ(cache.get(1, [] { return 20; }), 20);
  });
  const auto fail = []() -> int {
    nap(2);
    throw std::runtime_error("no such value");
  };
  EXPECT_THROW(cache.get(1, fail), std::runtime_error);
  second.join();
  EXPECT_EQ(cache.waits(), 1U);
}

TEST(Cache, KeepsWhatWasUsedLast) {
  raddle::Schedule schedule("filled -> beforeUse, used -> beforeThird");
  Cache cache(2);
  std::jthread user([&] {
    RADDLE_EVENT(beforeUse);
    EXPECT_EQ(cache.get(1, [] { return 11; }), 10);
    RADDLE_EVENT(used);
  });
  cache.get(1, [] { return 10; });
  cache.get(2, [] { return 20; });
  RADDLE_EVENT(filled);
  RADDLE_EVENT(beforeThird);
  cache.get(3, [] { return 30; });
  EXPECT_TRUE(cache.contains(1));
  EXPECT_FALSE(cache.contains(2));
}

TEST(CacheSleeping, KeepsWhatWasUsedLast) {
  Cache cache(2);
  std::jthread user([&] {
    nap(1);
    EXPECT_EQ(cache.get(1, [] { return 11; }), 10);
  });
  cache.get(1, [] { return 10; });
  cache.get(2, [] { return 20; });
  nap(2);
  cache.get(3, [] { return 30; });
  EXPECT_TRUE(cache.contains(1));
  EXPECT_FALSE(cache.contains(2));
}

}  // namespace
