#include "host/analysis/filter/baseline.hpp"

#include <gtest/gtest.h>

#include <random>

namespace raddle {
namespace {

Finding finding(std::uint64_t place, const std::string& what) {
  Finding made;
  made.kind = FindingKind::lock_order;
  made.place = place;
  made.what = what;
  return made;
}

std::string error_of(const std::string& text) {
  const Result<Baseline> made = Baseline::parse(text, "known");
  return made ? "" : made.error();
}

TEST(Baseline, KnowsWhatWasWritten) {
  Baseline baseline;
  EXPECT_FALSE(baseline.knows(finding(7, "")));
  baseline.add(finding(~std::uint64_t{0}, "b"));
  baseline.add(finding(7, "two\nlines"));
  baseline.add(finding(7, "a -> b"));
  EXPECT_EQ(baseline.text(),
            "# raddle baseline 1\n"
            "0000000000000007 lock-order a -> b\n"
            "ffffffffffffffff lock-order b\n");
  const Result<Baseline> again = Baseline::parse(baseline.text(), "known");
  ASSERT_TRUE(bool(again)) << again.error();
  EXPECT_EQ(again->size(), 2U);
  EXPECT_TRUE(again->knows(finding(7, "other words")));
  EXPECT_FALSE(again->knows(finding(8, "a -> b")));
  EXPECT_EQ(again->text(), baseline.text());
}

TEST(Baseline, MayBeEditedByHand) {
  const Result<Baseline> baseline = Baseline::parse(
      "# raddle baseline 1\r\n\n# accepted in review\n  0000000000000007\t \n", "known");
  ASSERT_TRUE(bool(baseline)) << baseline.error();
  EXPECT_TRUE(baseline->knows(finding(7, "")));
}

TEST(Baseline, WhatIsNoneIsRefused) {
  EXPECT_NE(error_of("").find("known:1: no baseline"), std::string::npos);
  EXPECT_NE(error_of("# raddle baseline 2\n").find("known:1:"), std::string::npos);
  EXPECT_NE(error_of("function:foo\n").find("known:1:"), std::string::npos);
  EXPECT_EQ(error_of("# raddle baseline 1\n0000000000000007 x\n7 y\n"),
            "known:3: expected an id of 16 hexadecimal digits, found `7'");
  EXPECT_NE(error_of("# raddle baseline 1\n000000000000000g\n"), "");
  EXPECT_NE(error_of("# raddle baseline 1\n-000000000000007\n"), "");
  EXPECT_NE(error_of("# raddle baseline 1\n00000000000000007\n"), "");
  EXPECT_NE(Baseline::read("/nonexistent/file").error(), "");
  EXPECT_NE(Baseline::read("/").error(), "");
}

TEST(Baseline, AnyBytesAreAnErrorOrABaseline) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "# raddle baseline 1\n";
    for (unsigned n = random() % 40; n > 0; --n)
      text += "0123456789abcdef \n#\xff\x00"[random() % 21];
    const Result<Baseline> made = Baseline::parse(text, "known");
    if (!made) continue;
    EXPECT_TRUE(bool(Baseline::parse(made->text(), "again")));
  }
}

}  // namespace
}  // namespace raddle
