#include "bench/schedules/components/cyclic_barrier.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "bench/schedules/nap.hpp"
#include "raddle/schedule.hpp"
#include "raddle/schedule_gtest.hpp"

namespace {

using components::BrokenBarrier;
using components::CyclicBarrier;
using components::Interrupted;
using twins::nap;

TEST(CyclicBarrier, CountsThoseWhoAreMissing) {
  raddle::Schedule schedule("[await@first] -> await@second, [await@second] -> await@third");
  CyclicBarrier barrier(3);
  const auto arrive = [&](const char* name, std::size_t missing) {
    raddle::name_thread(name);
    RADDLE_EVENT(await);
    EXPECT_EQ(barrier.await(), missing);
  };
  std::jthread third(arrive, "third", 0U);
  std::jthread second(arrive, "second", 1U);
  std::jthread first(arrive, "first", 2U);
}

TEST(CyclicBarrierSleeping, CountsThoseWhoAreMissing) {
  CyclicBarrier barrier(3);
  const auto arrive = [&](int naps, std::size_t missing) {
    nap(naps);
    EXPECT_EQ(barrier.await(), missing);
  };
  std::jthread third(arrive, 2, 0U);
  std::jthread second(arrive, 1, 1U);
  std::jthread first(arrive, 0, 2U);
}

TEST(CyclicBarrier, ResetSendsWaitersAwayAndBeginsAnew) {
  raddle::Schedule schedule("[beforeAwait] -> beforeReset, [beforeAwait#2] -> beforeMeeting");
  CyclicBarrier barrier(2);
  std::jthread waiter([&](const std::stop_token& stop) {
    RADDLE_EVENT(beforeAwait);
    EXPECT_THROW(barrier.await(stop), BrokenBarrier);
    RADDLE_EVENT(beforeAwait);
    EXPECT_NO_THROW(EXPECT_EQ(barrier.await(stop), 1U));
  });
  RADDLE_EVENT(beforeReset);
  EXPECT_EQ(barrier.waiting(), 1U);
  barrier.reset();
  RADDLE_EVENT(beforeMeeting);
  EXPECT_EQ(barrier.await(), 0U);
}

TEST(CyclicBarrierSleeping, ResetSendsWaitersAwayAndBeginsAnew) {
  CyclicBarrier barrier(2);
  std::jthread waiter([&](const std::stop_token& stop) {
    EXPECT_THROW(barrier.await(stop), BrokenBarrier);
    EXPECT_NO_THROW(EXPECT_EQ(barrier.await(stop), 1U));
  });
  nap(1);
  EXPECT_EQ(barrier.waiting(), 1U);
  barrier.reset();
  nap(1);
  EXPECT_EQ(barrier.await(), 0U);
}

TEST(CyclicBarrier, InterruptBreaksItForOthers) {
  raddle::Schedule schedule("[beforeAwait@patient] && [beforeAwait@stopped] -> beforeInterrupt");
  CyclicBarrier barrier(3);
  std::jthread patient([&] {
    raddle::name_thread("patient");
    RADDLE_EVENT(beforeAwait);
    EXPECT_THROW(barrier.await(), BrokenBarrier);
  });
  std::jthread stopped([&](const std::stop_token& stop) {
    raddle::name_thread("stopped");
    RADDLE_EVENT(beforeAwait);
    EXPECT_THROW(barrier.await(stop), Interrupted);
  });
  RADDLE_EVENT(beforeInterrupt);
  EXPECT_EQ(barrier.waiting(), 2U);
  stopped.request_stop();
}

TEST(CyclicBarrierSleeping, InterruptBreaksItForOthers) {
  CyclicBarrier barrier(3);
  std::jthread patient([&] { EXPECT_THROW(barrier.await(), BrokenBarrier); });
  std::jthread stopped(
      [&](const std::stop_token& stop) { EXPECT_THROW(barrier.await(stop), Interrupted); });
  nap(1);
  EXPECT_EQ(barrier.waiting(), 2U);
  stopped.request_stop();
}

TEST(CyclicBarrier, MeetsAgainAndAgain) {
  raddle::Schedule schedule("[early] -> late, [early#2] -> late#2, [early#3] -> late#3");
  CyclicBarrier barrier(2);
  std::jthread early([&] {
    for (int round = 0; round < 3; ++round) {
      RADDLE_EVENT(early);
      EXPECT_EQ(barrier.await(), 1U);
    }
  });
  for (int round = 0; round < 3; ++round) {
    RADDLE_EVENT(late);
    EXPECT_EQ(barrier.await(), 0U);
  }
}

TEST(CyclicBarrierSleeping, MeetsAgainAndAgain) {
  CyclicBarrier barrier(2);
  std::jthread early([&] {
    for (int round = 0; round < 3; ++round) EXPECT_EQ(barrier.await(), 1U);
  });
  for (int round = 0; round < 3; ++round) {
    nap(1);
    EXPECT_EQ(barrier.await(), 0U);
  }
}

}  // namespace
