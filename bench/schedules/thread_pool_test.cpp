#include "bench/schedules/components/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using components::PoolClosed;
using components::ThreadPool;
using twins::nap;

TEST(ThreadPool, TasksQueueBehindABusyWorker) {
  raddle::Schedule schedule("running -> beforeSubmit");
  std::latch gate(1);
  ThreadPool pool(1);
  pool.submit([&] {
    RADDLE_EVENT(running);
    gate.wait();
  });
  RADDLE_EVENT(beforeSubmit);
  pool.submit([] {});
  EXPECT_EQ(pool.active(), 1U);
  EXPECT_EQ(pool.queued(), 1U);
  gate.count_down();
}

TEST(ThreadPoolSleeping, TasksQueueBehindABusyWorker) {
  std::latch gate(1);
  ThreadPool pool(1);
  pool.submit([&] { gate.wait(); });
  nap(1);
  pool.submit([] {});
  EXPECT_EQ(pool.active(), 1U);
  EXPECT_EQ(pool.queued(), 1U);
  gate.count_down();
}

TEST(ThreadPool, ShutdownNowDropsWhatIsQueued) {
  raddle::Schedule schedule(
      "running -> beforeShutdown, closed -> beforeSubmit, refused -> beforeOpen");
  std::latch gate(1);
  std::atomic<int> ran = 0;
  ThreadPool pool(1);
  pool.submit([&] {
    RADDLE_EVENT(running);
    gate.wait();
    ++ran;
  });
  pool.submit([&] { ++ran; });
  std::jthread client([&] {
    RADDLE_EVENT(beforeSubmit);
    EXPECT_THROW(pool.submit([&] { ++ran; }), PoolClosed);
    RADDLE_EVENT(refused);
  });
  RADDLE_EVENT(beforeShutdown);
  EXPECT_EQ(pool.shutdown_now(), 1U);
  RADDLE_EVENT(closed);
  RADDLE_EVENT(beforeOpen);
  gate.count_down();
  pool.wait_idle();
  EXPECT_EQ(ran, 1);
}

TEST(ThreadPoolSleeping, ShutdownNowDropsWhatIsQueued) {
  std::latch gate(1);
  std::atomic<int> ran = 0;
  ThreadPool pool(1);
  pool.submit([&] {
    gate.wait();
    ++ran;
  });
  pool.submit([&] { ++ran; });
  std::jthread client([&] {
    nap(2);
    EXPECT_THROW(pool.submit([&] { ++ran; }), PoolClosed);
  });
  nap(1);
  EXPECT_EQ(pool.shutdown_now(), 1U);
  nap(2);
  gate.count_down();
  pool.wait_idle();
  EXPECT_EQ(ran, 1);
}

TEST(ThreadPool, TwoWorkersRunTwoTasks) {
  raddle::Schedule schedule("[running] && [running#2] -> beforeThird");
  std::latch gate(1);
  ThreadPool pool(2);
  const auto task = [&] {
    RADDLE_EVENT(running);
    gate.wait();
  };
  pool.submit(task);
  pool.submit(task);
  RADDLE_EVENT(beforeThird);
  pool.submit([] {});
  EXPECT_EQ(pool.active(), 2U);
  EXPECT_EQ(pool.queued(), 1U);
  gate.count_down();
}

TEST(ThreadPoolSleeping, TwoWorkersRunTwoTasks) {
  std::latch gate(1);
  ThreadPool pool(2);
  const auto task = [&] { gate.wait(); };
  pool.submit(task);
  pool.submit(task);
  nap(1);
  pool.submit([] {});
  EXPECT_EQ(pool.active(), 2U);
  EXPECT_EQ(pool.queued(), 1U);
  gate.count_down();
}

TEST(ThreadPool, WaitsUntilTheLastTaskHasEnded) {
  raddle::Schedule schedule("running -> beforeWait, [beforeWait] -> beforeOpen");
  std::latch gate(1);
  std::atomic<bool> idle = false;
  ThreadPool pool(1);
  std::jthread waiter([&] {
    RADDLE_EVENT(beforeWait);
    EXPECT_EQ(pool.active(), 1U);
    pool.wait_idle();
    idle = true;
    EXPECT_EQ(pool.active(), 0U);
  });
  pool.submit([&] {
    RADDLE_EVENT(running);
    gate.wait();
  });
  RADDLE_EVENT(beforeOpen);
  EXPECT_FALSE(idle);
  gate.count_down();
}

TEST(ThreadPoolSleeping, WaitsUntilTheLastTaskHasEnded) {
  std::latch gate(1);
  std::atomic<bool> idle = false;
  ThreadPool pool(1);
  std::jthread waiter([&] {
    nap(1);
    EXPECT_EQ(pool.active(), 1U);
    pool.wait_idle();
    idle = true;
    EXPECT_EQ(pool.active(), 0U);
  });
  pool.submit([&] { gate.wait(); });
  nap(2);
  EXPECT_FALSE(idle);
  gate.count_down();
}

}  // namespace
