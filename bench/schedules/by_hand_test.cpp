// A few of the tests with neither schedule nor sleeps: each waits in a loop for what the component
// says of itself. Nothing is faster, so this is what a schedule is measured against; and few
// components say so much.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "bench/schedules/components/blocking_queue.hpp"
#include "bench/schedules/components/cyclic_barrier.hpp"
#include "bench/schedules/components/latch.hpp"
#include "bench/schedules/components/read_write_lock.hpp"

namespace {

template <class Condition>
void until(const Condition& condition) {
  while (!condition()) std::this_thread::yield();
}

TEST(BlockingQueueByHand, CloseWakesTaker) {
  components::BlockingQueue<int> queue(1);
  std::jthread taker([&] { EXPECT_EQ(queue.take(), std::nullopt); });
  until([&] { return queue.waits() == 1; });
  queue.close();
}

TEST(BlockingQueueByHand, PutWaitsForRoom) {
  components::BlockingQueue<int> queue(1);
  queue.add(0);
  std::jthread putter([&] {
    for (int value = 1; value <= 3; ++value) EXPECT_TRUE(queue.put(value));
  });
  for (int value = 0; value < 3; ++value) {
    until([&] { return queue.waits() == value + 1U; });
    EXPECT_EQ(queue.take(), value);
  }
}

TEST(CyclicBarrierByHand, MeetsAgainAndAgain) {
  components::CyclicBarrier barrier(2);
  std::jthread early([&] {
    for (int round = 0; round < 3; ++round) EXPECT_EQ(barrier.await(), 1U);
  });
  for (int round = 0; round < 3; ++round) {
    until([&] { return barrier.waiting() == 1; });
    EXPECT_EQ(barrier.await(), 0U);
  }
}

TEST(LatchByHand, WaitersLeaveAtZero) {
  components::Latch latch(2);
  std::atomic<int> released = 0;
  const auto wait = [&] {
    latch.wait();
    ++released;
  };
  std::jthread a(wait);
  std::jthread b(wait);
  until([&] { return latch.waits() == 2; });
  latch.count_down();
  EXPECT_EQ(released, 0);
  latch.count_down();
  a.join();
  b.join();
  EXPECT_EQ(released, 2);
}

TEST(LatchByHand, OpenLatchLetsThrough) {
  components::Latch latch(1);
  std::atomic<bool> opened = false;
  std::jthread opener([&] {
    latch.count_down();
    opened = true;
  });
  until([&] { return opened.load(); });
  latch.wait();
  EXPECT_EQ(latch.waits(), 0U);
}

TEST(ReadWriteLockByHand, WriterWaitsForReader) {
  components::ReadWriteLock lock;
  std::atomic<bool> reads = false;
  int value = 1;
  std::jthread writer([&] {
    until([&] { return reads.load(); });
    const std::unique_lock writing(lock);
    value = 2;
  });
  {
    const std::shared_lock reading(lock);
    reads = true;
    EXPECT_EQ(value, 1);
    until([&] { return lock.waits() == 1; });
    EXPECT_EQ(value, 1);
  }
  writer.join();
  EXPECT_EQ(value, 2);
}

}  // namespace
