#include "host/analysis/lockset/lockset.hpp"

#include "host/analysis/testing/findings_of.hpp"

namespace raddle {
namespace {

std::size_t reports(std::string_view text) { return count("lockset", text); }

TEST(Lockset, PredictsWhatThisExecutionDidNotShow) {
  // No race in this order, because of m.
  const char* text = "T1 w(x); T1 acq(m); T1 rel(m); T2 acq(m); T2 rel(m); T2 w(x)";
  EXPECT_EQ(count("race", text), 0U);
  EXPECT_EQ(reports(text), 1U);
}

TEST(Lockset, OneThreadNeedsNoLock) { EXPECT_EQ(reports("T1 w(x); T1 r(x); T1 w(x)"), 0U); }

TEST(Lockset, InitialisedByOneAndThenOnlyRead) {
  EXPECT_EQ(reports("T1 w(x); T2 r(x); T3 r(x); T1 r(x)"), 0U);
}

TEST(Lockset, RefinesWhileSharedAndReportsWhenModified) {
  // The reads without a lock empty the set; the write under m is what is reported.
  const Checked checked =
      check("lockset", "T1 w(x)@1; T2 r(x)@2; T3 r(x)@3; T1 acq(m); T1 w(x)@4; T1 rel(m)");
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.steps(checked.findings()[0]),
            (std::vector<std::string>{"T3 reads x line 3", "T1 writes x line 4"}));
}

TEST(Lockset, ACommonLockProtects) {
  EXPECT_EQ(reports("T1 acq(m); T1 acq(n); T1 w(x); T1 rel(n); T1 rel(m);"
                    "T2 acq(n); T2 w(x); T2 rel(n); T1 acq(n); T1 w(x); T1 rel(n)"),
            0U);
  EXPECT_EQ(reports("T1 acq(m); T1 w(x); T1 rel(m); T2 acq(n); T2 w(x); T2 rel(n);"
                    "T1 acq(m); T1 w(x); T1 rel(m)"),
            1U);
}

TEST(Lockset, AReadLockDoesNotProtectAWrite) {
  EXPECT_EQ(reports("T1 acq(m); T1 w(x); T1 rel(m); T2 racq(m); T2 w(x); T2 rrel(m)"), 1U);
  EXPECT_EQ(reports("T1 acq(m); T1 w(x); T1 rel(m); T2 racq(m); T2 r(x); T2 rrel(m);"
                    "T1 acq(m); T1 w(x); T1 rel(m)"),
            0U);
}

TEST(Lockset, AnInnerReleaseKeepsTheLock) {
  EXPECT_EQ(reports("T1 w(x); T2 acq(m); T2 acq(m); T2 rel(m); T2 w(x); T2 rel(m);"
                    "T1 acq(m); T1 w(x); T1 rel(m)"),
            0U);
}

TEST(Lockset, AWaitGivesTheLockUp) {
  EXPECT_EQ(reports("T1 w(x); T2 acq(m); T2 w(x); T2 wait(c,m); T2 wake(c,m); T2 w(x); T2 rel(m)"),
            0U);
  EXPECT_EQ(reports("T1 w(x); T2 acq(m); T2 w(x); T2 wait(c,m); T1 w(x); T2 wake(c,m)"), 1U);
}

TEST(Lockset, NewMemoryIsVirgin) {
  EXPECT_EQ(reports("T1 w(x); T2 alloc(x,8); T2 w(x); T2 w(x)"), 0U);
  EXPECT_EQ(reports("T1 w(x); T2 free(x); T2 w(x)"), 0U);
  EXPECT_EQ(reports("T1 w(x); T2 local(x,8); T2 w(x)"), 0U);
}

TEST(Lockset, AThreadIdUsedAgainIsAnotherThread) {
  EXPECT_EQ(reports("T0 fork(T1); T1 w(x); T1 end; T0 fork(T1); T1 w(x)"), 1U);
}

TEST(Lockset, WhatCreatingAndJoiningThreadsOrdersIsHandedOver) {
  // Initialised before, shared under a lock, read and destroyed after.
  EXPECT_EQ(reports("T0 w(x); T0 fork(T1); T0 fork(T2);"
                    "T1 acq(m); T1 w(x); T1 rel(m); T2 acq(m); T2 w(x); T2 rel(m);"
                    "T1 end; T2 end; T0 join(T1); T0 join(T2); T0 r(x); T0 w(x)"),
            0U);
  // Not before all of them are joined.
  EXPECT_EQ(reports("T0 w(x); T0 fork(T1); T0 fork(T2);"
                    "T1 acq(m); T1 w(x); T1 rel(m); T2 acq(m); T2 w(x); T2 rel(m);"
                    "T1 end; T0 join(T1); T0 r(x)"),
            1U);
  // From one worker to the next.
  EXPECT_EQ(reports("T0 fork(T1); T1 w(x); T1 end; T0 join(T1); T0 fork(T2); T2 w(x)"), 0U);
}

TEST(Lockset, SignalsAndAtomicsHandOverLocksDoNot) {
  EXPECT_EQ(reports("T1 w(x); T1 signal(s); T2 await(s); T2 w(x)"), 0U);
  EXPECT_EQ(reports("T1 w(x); T1 store(f,rel); T2 load(f,acq); T2 w(x)"), 0U);
  EXPECT_EQ(reports("T1 w(x); T1 store(f,rlx); T2 load(f,rlx); T2 w(x)"), 1U);
  EXPECT_EQ(reports("T1 w(x); T1 acq(m); T1 rel(m); T2 acq(m); T2 rel(m); T2 w(x)"), 1U);
}

TEST(Lockset, AfterAHandOverItIsSharedAnewOrNot) {
  EXPECT_EQ(reports("T0 fork(T1); T1 w(x); T1 end; T0 join(T1); T0 fork(T2); T0 fork(T3);"
                    "T2 w(x); T3 w(x)"),
            1U);
}

}  // namespace
}  // namespace raddle
