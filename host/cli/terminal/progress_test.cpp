#include "host/cli/terminal/progress.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

Progress half_way() {
  return {.what = "500 of 1,000 executions, no failure yet",
          .done = 500,
          .seconds = 10,
          .share = 0.5,
          .left = 10};
}

TEST(Progress, BarRateAndWhatIsLeft) {
  EXPECT_EQ(progress_bar(half_way(), 100),
            "#####.....  500 of 1,000 executions, no failure yet, 50/s, 10 s left");
  EXPECT_EQ(progress_words({.what = "minimizing", .seconds = 1}), "minimizing");
  Progress late = half_way();
  late.share = 1.7;
  late.left = -3;
  EXPECT_EQ(progress_bar(late, 100).substr(0, 12), "##########  ");
  EXPECT_EQ(progress_bar(late, 100).find("left"), std::string::npos);
  late.left = 1e-5;
  EXPECT_TRUE(progress_bar(late, 100).ends_with(", 0.1 s left"));
}

TEST(Progress, CutToTheTerminal) { EXPECT_LE(progress_bar(half_way(), 39).size(), 39U); }

TEST(Progress, ALineAMinuteInALog) {
  ProgressPace pace(false);
  int lines = 0;
  for (int tenths = 0; tenths <= 6000; ++tenths) lines += pace.due(tenths / 10.0) ? 1 : 0;
  EXPECT_EQ(lines, 10);  // of ten minutes
  EXPECT_FALSE(ProgressPace(false).due(59));
  EXPECT_TRUE(ProgressPace(true).due(0));
}

}  // namespace
}  // namespace raddle
