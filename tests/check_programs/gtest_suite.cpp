#include <gtest/gtest.h>
#include <raddle/check.hpp>

#include "racy.hpp"

TEST(Suite, Passes) {
  const raddle::Coverage coverage = raddle::check([] { EXPECT_EQ(right_count(), 2); });
  EXPECT_TRUE(coverage.passed);
}

TEST(Suite, NonFatal) {
  raddle::check([] { EXPECT_EQ(racy_count(), 2) << "lost"; });
}

TEST(Suite, Fatal) {
  raddle::check([] { ASSERT_EQ(racy_count(), 2) << "lost"; });
}

TEST(Suite, InThread) {
  raddle::check([] {
    g_count = 0;
    both([] {
      {
        std::lock_guard<std::mutex> lock(g_mutex);
        ++g_count;
      }
      std::lock_guard<std::mutex> lock(g_mutex);
      EXPECT_EQ(g_count, 2) << "lost";
    });
  });
}

TEST(Suite, Exception) {
  raddle::check([] {
    if (racy_count() != 2) throw std::runtime_error("lost");
  });
}

TEST(Suite, Deadlock) { raddle::check(deadlock); }

TEST(Suite, Outside) { EXPECT_EQ(racy_count(), 3) << "an ordinary failure"; }
