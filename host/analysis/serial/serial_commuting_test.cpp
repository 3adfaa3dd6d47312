// Operations that do not conflict although they look like it.
#include <string>

#include "host/analysis/testing/findings_of.hpp"

namespace raddle {
namespace {

TEST(Serial, WhatOnlyCountsIsNoConflict) {
  EXPECT_EQ(count("serial",
                  "T1 block(b); T1 count(u,sc); T2 count(u,sc); T1 count(u,sc);"
                  "T1 endblock"),
            0U);
  EXPECT_EQ(count("serial",
                  "T1 block(b); T1 count(u,sc); T2 load(u,sc); T1 count(u,sc);"
                  "T1 endblock"),
            1U);
  EXPECT_EQ(count("serial",
                  "T1 block(b); T1 load(u,sc); T2 count(u,sc); T1 load(u,sc);"
                  "T1 endblock"),
            1U);
}

TEST(Serial, WhoBacksOffHasDoneNothing) {
  const std::string other = "T2 acq(m); T2 rel(m);";
  const std::string end = "T1 acq(m); T1 w(x); T1 rel(m); T1 endblock";
  AnalysisOptions options;
  options.atomic.locks = false;
  EXPECT_EQ(
      count("serial", "T1 block(b); T1 acq(m); T1 tryfail(k); T1 rel(m);" + other + end, options),
      0U);
  EXPECT_EQ(count("serial", "T1 block(b); T1 acq(m); T1 rel(m);" + other + end, options), 1U);
}

TEST(Serial, AThreadIsNoObject) {
  AnalysisOptions options;
  options.atomic.locks = false;
  const Checked checked = check(
      "serial", "T0 block(b); T0 fork(T1); T1 begin; T1 r(x); T1 end; T0 join(T1); T0 endblock",
      options);
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.findings()[0].object, "b");
}

}  // namespace
}  // namespace raddle
