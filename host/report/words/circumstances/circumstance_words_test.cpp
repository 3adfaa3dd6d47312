#include "host/report/words/circumstances/circumstance_words.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

TEST(CircumstanceWords, SayHowLikelyItIs) {
  EXPECT_EQ(circumstance_words({}), "");
  EXPECT_EQ(
      circumstance_words({.early_timeouts = 1, .early_time = 50 * kMillisecond}),
      "a sleep or wait to end while another thread is ready to run, but does not run for up to "
      "50 ms: likely on a busy machine");
  EXPECT_EQ(
      circumstance_words({.early_timeouts = 2, .early_time = 300 * kMillisecond}),
      "2 sleeps or waits to end while another thread is ready to run, but does not run for up "
      "to 0.3 s in all: possible on a busy machine");
  EXPECT_EQ(circumstance_words({.spurious_wakeups = 1}),
            "a wait for a condition to return without a signal: rare, but POSIX and C++ allow it");
  EXPECT_EQ(circumstance_words({.short_transfers = 2, .failed_allocations = 1}),
            "a read from or write to a socket to move a part only: likely over a network; and an "
            "allocation to fail: rare");
}

// A deadline is computed from a clock that goes on until the wait begins.
TEST(CircumstanceWords, ASecondLessThanATickIsASecond) {
  const std::string text =
      circumstance_words({.early_timeouts = 1, .early_time = 1000 * kMillisecond - 4000});
  EXPECT_EQ(text.substr(text.rfind(':')), ": rare");
}

}  // namespace
}  // namespace raddle
