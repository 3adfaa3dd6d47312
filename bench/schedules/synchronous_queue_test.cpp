#include "bench/schedules/components/synchronous_queue.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using components::Interrupted;
using components::SynchronousQueue;
using twins::nap;

// The test of put, take and interrupt in the compatibility kit of java.util.concurrent: the
// putter's loop repeats its event.
TEST(SynchronousQueue, PutWithTake) {
  raddle::Schedule schedule("[beforePut] -> beforeTake, [beforePut#2] -> beforeInterrupt");
  SynchronousQueue<int> queue;
  std::jthread putter([&](const std::stop_token& stop) {
    int added = 0;
    try {
      for (;;) {
        RADDLE_EVENT(beforePut);
        queue.put(added, stop);
        ++added;
      }
    } catch (const Interrupted&) {
      EXPECT_EQ(added, 1);
    }
  });
  RADDLE_EVENT(beforeTake);
  EXPECT_EQ(queue.waits(), 1U);
  EXPECT_EQ(queue.take(), 0);
  RADDLE_EVENT(beforeInterrupt);
  EXPECT_EQ(queue.waits(), 2U);
  putter.request_stop();
}

TEST(SynchronousQueueSleeping, PutWithTake) {
  SynchronousQueue<int> queue;
  std::jthread putter([&](const std::stop_token& stop) {
    int added = 0;
    try {
      for (;;) {
        queue.put(added, stop);
        ++added;
      }
    } catch (const Interrupted&) {
      EXPECT_EQ(added, 1);
    }
  });
  nap(1);
  EXPECT_EQ(queue.waits(), 1U);
  EXPECT_EQ(queue.take(), 0);
  nap(1);
  EXPECT_EQ(queue.waits(), 2U);
  putter.request_stop();
}

TEST(SynchronousQueue, OfferNeedsAWaitingTaker) {
  raddle::Schedule schedule("refused -> beforeTake, [beforeTake] -> beforeOffer");
  SynchronousQueue<int> queue;
  std::jthread taker([&](const std::stop_token& stop) {
    RADDLE_EVENT(beforeTake);
    EXPECT_NO_THROW(EXPECT_EQ(queue.take(stop), 2));
  });
  EXPECT_FALSE(queue.offer(1));
  RADDLE_EVENT(refused);
  RADDLE_EVENT(beforeOffer);
  EXPECT_TRUE(queue.offer(2));
}

TEST(SynchronousQueueSleeping, OfferNeedsAWaitingTaker) {
  SynchronousQueue<int> queue;
  std::jthread taker([&](const std::stop_token& stop) {
    nap(1);
    EXPECT_NO_THROW(EXPECT_EQ(queue.take(stop), 2));
  });
  EXPECT_FALSE(queue.offer(1));
  nap(2);
  EXPECT_TRUE(queue.offer(2));
}

TEST(SynchronousQueue, PollNeedsAWaitingPutter) {
  raddle::Schedule schedule("polled -> beforePut, [beforePut] -> beforeSecondPoll");
  SynchronousQueue<int> queue;
  std::jthread putter([&](const std::stop_token& stop) {
    RADDLE_EVENT(beforePut);
    EXPECT_NO_THROW(queue.put(1, stop));
  });
  EXPECT_EQ(queue.poll(), std::nullopt);
  RADDLE_EVENT(polled);
  RADDLE_EVENT(beforeSecondPoll);
  EXPECT_EQ(queue.poll(), 1);
}

TEST(SynchronousQueueSleeping, PollNeedsAWaitingPutter) {
  SynchronousQueue<int> queue;
  std::jthread putter([&](const std::stop_token& stop) {
    nap(1);
    EXPECT_NO_THROW(queue.put(1, stop));
  });
  EXPECT_EQ(queue.poll(), std::nullopt);
  nap(2);
  EXPECT_EQ(queue.poll(), 1);
}

TEST(SynchronousQueue, PuttersAreServedInOrder) {
  raddle::Schedule schedule("[put@first] -> put@second, [put@second] -> beforeTake");
  SynchronousQueue<int> queue;
  const auto put = [&](const char* name, int value) {
    raddle::name_thread(name);
    RADDLE_EVENT(put);
    queue.put(value);
  };
  std::jthread second(put, "second", 2);
  std::jthread first(put, "first", 1);
  RADDLE_EVENT(beforeTake);
  EXPECT_EQ(queue.waits(), 2U);
  EXPECT_EQ(queue.take(), 1);
  EXPECT_EQ(queue.take(), 2);
}

TEST(SynchronousQueueSleeping, PuttersAreServedInOrder) {
  SynchronousQueue<int> queue;
  std::jthread second([&] {
    nap(1);
    queue.put(2);
  });
  std::jthread first([&] { queue.put(1); });
  nap(2);
  EXPECT_EQ(queue.waits(), 2U);
  EXPECT_EQ(queue.take(), 1);
  EXPECT_EQ(queue.take(), 2);
}

TEST(SynchronousQueue, InterruptedTakerTakesNothing) {
  raddle::Schedule schedule("[beforeTake] -> beforeInterrupt, end@taker -> beforeOffer");
  SynchronousQueue<int> queue;
  std::jthread taker([&](const std::stop_token& stop) {
    raddle::name_thread("taker");
    RADDLE_EVENT(beforeTake);
    EXPECT_THROW(queue.take(stop), Interrupted);
  });
  RADDLE_EVENT(beforeInterrupt);
  EXPECT_EQ(queue.waits(), 1U);
  taker.request_stop();
  RADDLE_EVENT(beforeOffer);
  EXPECT_FALSE(queue.offer(3));
}

TEST(SynchronousQueueSleeping, InterruptedTakerTakesNothing) {
  SynchronousQueue<int> queue;
  std::jthread taker(
      [&](const std::stop_token& stop) { EXPECT_THROW(queue.take(stop), Interrupted); });
  nap(1);
  EXPECT_EQ(queue.waits(), 1U);
  taker.request_stop();
  nap(1);
  EXPECT_FALSE(queue.offer(3));
}

}  // namespace
