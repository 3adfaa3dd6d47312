#include "bench/schedules/components/blocking_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using components::BlockingQueue;
using twins::nap;

TEST(BlockingQueue, TakeWithAdd) {
  raddle::Schedule schedule("afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");
  BlockingQueue<int> queue(1);
  std::jthread adder([&] {
    raddle::name_thread("adder");
    EXPECT_NO_THROW(queue.add(1));
    RADDLE_EVENT(afterAdd1);
    RADDLE_EVENT(beforeAdd2);
    EXPECT_NO_THROW(queue.add(2));
    if (HasFailure()) queue.close();  // or the taker waits for ever
  });
  RADDLE_EVENT(beforeTake1);
  EXPECT_EQ(queue.take(), 1);
  EXPECT_EQ(queue.waits(), 0U);
  RADDLE_EVENT(beforeTake2);
  EXPECT_EQ(queue.take(), 2);
  EXPECT_EQ(queue.waits(), 1U);
}

TEST(BlockingQueueSleeping, TakeWithAdd) {
  BlockingQueue<int> queue(1);
  std::jthread adder([&] {
    EXPECT_NO_THROW(queue.add(1));
    nap(2);
    EXPECT_NO_THROW(queue.add(2));
    if (HasFailure()) queue.close();  // or the taker waits for ever
  });
  nap(1);
  EXPECT_EQ(queue.take(), 1);
  EXPECT_EQ(queue.waits(), 0U);
  EXPECT_EQ(queue.take(), 2);
  EXPECT_EQ(queue.waits(), 1U);
}

TEST(BlockingQueue, PutWaitsForRoom) {
  raddle::Schedule schedule("[beforePut+] -> beforeTake+");
  BlockingQueue<int> queue(1);
  queue.add(0);
  std::jthread putter([&] {
    for (int value = 1; value <= 3; ++value) {
      RADDLE_EVENT(beforePut);
      EXPECT_TRUE(queue.put(value));
    }
  });
  for (int value = 0; value < 3; ++value) {
    RADDLE_EVENT(beforeTake);
    EXPECT_EQ(queue.waits(), value + 1U);
    EXPECT_EQ(queue.take(), value);
  }
}

TEST(BlockingQueueSleeping, PutWaitsForRoom) {
  BlockingQueue<int> queue(1);
  queue.add(0);
  std::jthread putter([&] {
    for (int value = 1; value <= 3; ++value) EXPECT_TRUE(queue.put(value));
  });
  for (int value = 0; value < 3; ++value) {
    nap(1);
    EXPECT_EQ(queue.waits(), value + 1U);
    EXPECT_EQ(queue.take(), value);
  }
}

TEST(BlockingQueue, CloseWakesTaker) {
  raddle::Schedule schedule("[beforeTake] -> beforeClose");
  BlockingQueue<int> queue(1);
  std::jthread taker([&] {
    RADDLE_EVENT(beforeTake);
    EXPECT_EQ(queue.take(), std::nullopt);
  });
  RADDLE_EVENT(beforeClose);
  EXPECT_EQ(queue.waits(), 1U);
  queue.close();
}

TEST(BlockingQueueSleeping, CloseWakesTaker) {
  BlockingQueue<int> queue(1);
  std::jthread taker([&] { EXPECT_EQ(queue.take(), std::nullopt); });
  nap(1);
  EXPECT_EQ(queue.waits(), 1U);
  queue.close();
}

TEST(BlockingQueue, OneAddWakesOneTaker) {
  raddle::Schedule schedule("[beforeTake@a] && [beforeTake@b] -> beforeAdd, taken -> beforeClose");
  BlockingQueue<int> queue(1);
  std::atomic<int> items = 0;
  const auto take = [&](const char* name) {
    raddle::name_thread(name);
    RADDLE_EVENT(beforeTake);
    if (!queue.take()) return;
    ++items;
    RADDLE_EVENT(taken);
  };
  std::jthread a(take, "a");
  std::jthread b(take, "b");
  RADDLE_EVENT(beforeAdd);
  EXPECT_EQ(queue.waits(), 2U);
  queue.add(7);
  RADDLE_EVENT(beforeClose);
  EXPECT_EQ(items, 1);
  queue.close();
  a.join();
  b.join();
  EXPECT_EQ(items, 1);
}

TEST(BlockingQueueSleeping, OneAddWakesOneTaker) {
  BlockingQueue<int> queue(1);
  std::atomic<int> items = 0;
  const auto take = [&] {
    if (queue.take()) ++items;
  };
  std::jthread a(take);
  std::jthread b(take);
  nap(1);
  EXPECT_EQ(queue.waits(), 2U);
  queue.add(7);
  nap(1);
  EXPECT_EQ(items, 1);
  queue.close();
  a.join();
  b.join();
  EXPECT_EQ(items, 1);
}

TEST(BlockingQueue, TimedTakeGetsWhatComesLate) {
  raddle::Schedule schedule("[beforeTake+] -> beforeAdd+");
  BlockingQueue<int> queue(1);
  std::jthread taker([&] {
    for (int value = 1; value <= 2; ++value) {
      RADDLE_EVENT(beforeTake);
      EXPECT_EQ(queue.take_for(std::chrono::seconds(20)), value);
    }
  });
  for (int value = 1; value <= 2; ++value) {
    RADDLE_EVENT(beforeAdd);
    EXPECT_EQ(queue.waits(), unsigned(value));
    EXPECT_NO_THROW(queue.add(value));
  }
  queue.close();
  taker.join();
}

TEST(BlockingQueueSleeping, TimedTakeGetsWhatComesLate) {
  BlockingQueue<int> queue(1);
  std::jthread taker([&] {
    for (int value = 1; value <= 2; ++value)
      EXPECT_EQ(queue.take_for(std::chrono::seconds(20)), value);
  });
  for (int value = 1; value <= 2; ++value) {
    nap(1);
    EXPECT_EQ(queue.waits(), unsigned(value));
    EXPECT_NO_THROW(queue.add(value));
  }
  queue.close();
  taker.join();
}

TEST(BlockingQueue, PollBeforeAndAfterAdd) {
  raddle::Schedule schedule("polled -> beforeAdd, added -> beforeSecondPoll");
  BlockingQueue<int> queue(1);
  std::jthread poller([&] {
    EXPECT_EQ(queue.try_take(), std::nullopt);
    RADDLE_EVENT(polled);
    RADDLE_EVENT(beforeSecondPoll);
    EXPECT_EQ(queue.try_take(), 5);
  });
  RADDLE_EVENT(beforeAdd);
  queue.add(5);
  RADDLE_EVENT(added);
}

TEST(BlockingQueueSleeping, PollBeforeAndAfterAdd) {
  BlockingQueue<int> queue(1);
  std::jthread poller([&] {
    EXPECT_EQ(queue.try_take(), std::nullopt);
    nap(2);
    EXPECT_EQ(queue.try_take(), 5);
  });
  nap(1);
  queue.add(5);
}

}  // namespace
