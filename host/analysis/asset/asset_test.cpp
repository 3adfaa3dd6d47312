#include "host/analysis/asset/asset.hpp"

#include <gtest/gtest.h>

#include <set>

#include "host/analysis/asset/testing/asset_run.hpp"

namespace raddle {
namespace {

std::set<int> patterns_of(const std::vector<AssetCandidate>& candidates) {
  std::set<int> numbers;
  for (const AssetCandidate& candidate : candidates) numbers.insert(candidate.pattern);
  return numbers;
}

// The account of 002: a copy constructor calls two synchronised getters of x; creditInterest holds
// x's lock for both fields. An execution in which one comes after the other.
const std::string kCopy =
    "T1 enter(run1); T1 method(copy,x); T1 acq(m); T1 r(x.c); T1 rel(m); T1 acq(m); T1 r(x.s);"
    "T1 rel(m); T1 exit; ";
const std::string kCredit =
    "T2 enter(run2); T2 method(credit,x); T2 acq(m); T2 w(x.c); T2 w(x.s); T2 rel(m); T2 exit; ";

TEST(Asset, TheAccountOfThePaperFromASerialExecution) {
  const std::set<int> serial = patterns_of(candidates_of(kCredit + kCopy));
  EXPECT_EQ(serial.count(11), 1U);  // R(l1) W'(l1) W'(l2) R(l2)
  EXPECT_EQ(patterns_of(candidates_of(kCopy + kCredit)), serial);
}

TEST(Asset, ALockHeldThroughoutPrunesIt) {
  const std::string whole =
      "T1 enter(run1); T1 method(copy,x); T1 acq(m); T1 r(x.c); T1 r(x.s); T1 rel(m); T1 exit; ";
  EXPECT_TRUE(candidates_of(whole + kCredit).empty());
}

TEST(Asset, WhatHappenedBeforeTheThreadWasCreatedDoesNotCount) {
  // isLegal() in 002 reads both fields without a lock, before the other thread is started.
  const std::string legal =
      "T1 enter(run1); T1 method(legal,x); T1 r(x.c); T1 r(x.s); T1 exit; T1 fork(T2); T2 begin; ";
  EXPECT_TRUE(candidates_of(legal + kCredit).empty());
  const std::string later =
      "T1 enter(run1); T1 fork(T2); T2 begin; T1 method(legal,x); T1 r(x.c); T1 r(x.s); T1 exit; ";
  EXPECT_FALSE(candidates_of(later + kCredit).empty());
}

TEST(Asset, AJoinOrdersToo) {
  const std::string joined = kCredit + "T2 exit; T2 end; T1 join(T2); " + kCopy;
  EXPECT_TRUE(candidates_of(joined).empty());
}

TEST(Asset, TheWindowIsWhereTheLockIsReleasedAndTaken) {
  const std::vector<AssetCandidate> all = candidates_of(kCredit + kCopy);
  for (const AssetCandidate& candidate : all) {
    if (candidate.pattern != 11) continue;
    ASSERT_GE(candidate.aims.size(), 4U);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(candidate.aims[std::size_t(i)].role, AimRole::kStep);
      EXPECT_EQ(candidate.aims[std::size_t(i)].order, i);
    }
    return;
  }
  FAIL() << "no candidate of pattern 11";
}

}  // namespace
}  // namespace raddle
