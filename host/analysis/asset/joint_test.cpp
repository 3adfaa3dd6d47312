// Functions that make several calls on one object as units of work (UnitOptions::joint).
#include <gtest/gtest.h>

#include "host/analysis/asset/testing/asset_run.hpp"

namespace raddle {
namespace {

std::string method(const std::string& thread, const std::string& name, const std::string& what) {
  return thread + " method(" + name + ",s); " + thread + " acq(m); " + what + thread + " rel(m); " +
         thread + " exit; ";
}
const std::string kEmpty = method("T1", "empty", "T1 r(s.n); ");
const std::string kTake = method("T1", "take", "T1 r(s.n); T1 w(s.n); ");
const std::string kOther = "T2 enter(run2); " + method("T2", "take", "T2 r(s.n); T2 w(s.n); ");

std::string in(const std::string& function, const std::string& body) {
  return "T1 enter(run1); T1 enter(" + function + "); " + body + "T1 exit; T1 exit; ";
}

TEST(JointUnits, CheckThenActInOneFunction) {
  const std::vector<AssetCandidate> found = candidates_of(in("buy", kEmpty + kTake) + kOther);
  ASSERT_FALSE(found.empty());
  for (const AssetCandidate& candidate : found)
    EXPECT_NE(candidate.finding.what.find("several calls of buy"), std::string::npos);
}

TEST(JointUnits, OneCallIsNone) {
  EXPECT_TRUE(candidates_of(in("buy", kTake) + kOther).empty());
  EXPECT_TRUE(candidates_of(in("buy", kEmpty) + kOther).empty());
}

TEST(JointUnits, ALockAroundBothKeepsThemTogether) {
  const std::string held = in("buy", "T1 acq(m); " + kEmpty + kTake + "T1 rel(m); ");
  EXPECT_TRUE(candidates_of(held + kOther).empty());
}

TEST(JointUnits, WhatTheThreadWasCreatedForIsNone) {
  EXPECT_TRUE(candidates_of("T1 enter(run1); " + kEmpty + kTake + kOther).empty());
}

TEST(JointUnits, RoundsOfALoopAreApart) {
  // take() again and again from one place: no round knows of another.
  EXPECT_TRUE(candidates_of(in("drain", kTake + kTake + kTake) + kOther).empty());
}

TEST(JointUnits, ANarrowerFunctionIsTheUnit) {
  const std::string buy = "T1 enter(buy); T1 acq(m); " + kEmpty + kTake + "T1 rel(m); T1 exit; ";
  const std::string put = method("T1", "put", "T1 r(s.n); T1 w(s.n); ");
  // run() calls buy(), which is atomic, and then put(): not two calls of its own.
  EXPECT_TRUE(candidates_of(in("run", buy + put + buy + put) + kOther).empty());
}

TEST(JointUnits, ThreadsThatAreCreatedOrAwaitedEndThem) {
  const std::string begin = "T1 fork(T3); T3 begin; ";
  EXPECT_TRUE(candidates_of(in("sort", kEmpty + begin + kTake) + kOther).empty());
  const std::string before = in("sort", begin + kEmpty + "T3 end; T1 join(T3); " + kTake);
  EXPECT_TRUE(candidates_of(before + kOther).empty());
}

TEST(JointUnits, AFunctionThatTouchesTheObjectItselfToo) {
  const std::string touches = in("buy", kEmpty + "T1 acq(m); T1 w(s.n); T1 rel(m); ");
  EXPECT_FALSE(candidates_of(touches + kOther).empty());
}

}  // namespace
}  // namespace raddle
