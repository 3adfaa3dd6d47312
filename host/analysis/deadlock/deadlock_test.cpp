#include "host/analysis/deadlock/deadlock.hpp"

#include "host/analysis/testing/findings_of.hpp"

namespace raddle {
namespace {

std::size_t cycles(std::string_view text) { return count("deadlock", text); }

TEST(Deadlock, TwoLocksInOppositeOrder) {
  const Checked checked = check("deadlock",
                                "T1 acq(a)@1; T1 acq(b)@2; T1 rel(b); T1 rel(a);"
                                "T2 acq(b)@3; T2 acq(a)@4; T2 rel(a); T2 rel(b)");
  ASSERT_EQ(checked.findings().size(), 1U);
  const Finding& cycle = checked.findings()[0];
  EXPECT_EQ(cycle.kind, FindingKind::lock_order);
  EXPECT_EQ(cycle.object, "a -> b -> a");
  EXPECT_EQ(checked.steps(cycle),
            (std::vector<std::string>{"T1 acquires a line 1", "T1 acquires b line 2",
                                      "T2 acquires b line 3", "T2 acquires a line 4"}));
  EXPECT_EQ(cycle.steps[3].locks, (std::vector<std::string>{"b", "a"}));
}

TEST(Deadlock, OneThreadAloneAndOneOrder) {
  EXPECT_EQ(cycles("T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 acq(b); T1 acq(a); T1 rel(a);"
                   "T1 rel(b)"),
            0U);
  EXPECT_EQ(cycles("T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T2 acq(a); T2 acq(b); T2 rel(b);"
                   "T2 rel(a)"),
            0U);
}

TEST(Deadlock, ATrylockNeverWaits) {
  EXPECT_EQ(cycles("T1 acq(a); T1 tryacq(b); T1 rel(b); T1 rel(a);"
                   "T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b)"),
            0U);
  // But what it took can be waited for.
  EXPECT_EQ(cycles("T1 tryacq(a); T1 acq(b); T1 rel(b); T1 rel(a);"
                   "T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b)"),
            1U);
}

TEST(Deadlock, AGateLockKeepsThemApart) {
  EXPECT_EQ(cycles("T1 acq(g); T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 rel(g);"
                   "T2 acq(g); T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b); T2 rel(g)"),
            0U);
  // Two readers of the gate are not kept apart.
  EXPECT_EQ(cycles("T1 racq(g); T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 rrel(g);"
                   "T2 racq(g); T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b); T2 rrel(g)"),
            1U);
  EXPECT_EQ(cycles("T1 racq(g); T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 rrel(g);"
                   "T2 acq(g); T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b); T2 rel(g)"),
            0U);
}

TEST(Deadlock, WhatForkAndJoinOrderCannotMeet) {
  EXPECT_EQ(cycles("T0 acq(a); T0 acq(b); T0 rel(b); T0 rel(a); T0 fork(T1);"
                   "T1 acq(b); T1 acq(a); T1 rel(a); T1 rel(b)"),
            0U);
  EXPECT_EQ(cycles("T0 fork(T1); T0 acq(a); T0 acq(b); T0 rel(b); T0 rel(a);"
                   "T1 acq(b); T1 acq(a); T1 rel(a); T1 rel(b)"),
            1U);
  EXPECT_EQ(cycles("T0 fork(T1); T1 acq(b); T1 acq(a); T1 rel(a); T1 rel(b); T1 end; T0 join(T1);"
                   "T0 acq(a); T0 acq(b); T0 rel(b); T0 rel(a)"),
            0U);
  // Once before the fork and once after it: the second time they can.
  EXPECT_EQ(cycles("T0 acq(a); T0 acq(b); T0 rel(b); T0 rel(a); T0 fork(T1);"
                   "T0 acq(a); T0 acq(b); T0 rel(b); T0 rel(a);"
                   "T1 acq(b); T1 acq(a); T1 rel(a); T1 rel(b)"),
            1U);
  EXPECT_EQ(cycles("T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 signal(s);"
                   "T2 await(s); T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b)"),
            0U);
}

TEST(Deadlock, LocksDoNotOrder) {
  EXPECT_EQ(cycles("T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 acq(m); T1 rel(m);"
                   "T2 acq(m); T2 rel(m); T2 acq(b); T2 acq(a); T2 rel(a); T2 rel(b)"),
            1U);
}

TEST(Deadlock, ReadersDoNotBlockReaders) {
  const char* readers =
      "T1 racq(a); T1 racq(b); T1 rrel(b); T1 rrel(a); T2 racq(b); T2 racq(a); T2 rrel(a);"
      "T2 rrel(b)";
  EXPECT_EQ(cycles(readers), 0U);
  // One writer on each lock is enough, one on one of them is not.
  EXPECT_EQ(cycles("T1 racq(a); T1 acq(b); T1 rel(b); T1 rrel(a); T2 racq(b); T2 racq(a);"
                   "T2 rrel(a); T2 rrel(b)"),
            0U);
  EXPECT_EQ(cycles("T1 racq(a); T1 acq(b); T1 rel(b); T1 rrel(a); T2 racq(b); T2 acq(a);"
                   "T2 rel(a); T2 rrel(b)"),
            1U);
}

TEST(Deadlock, RecursionIsNoOrder) {
  EXPECT_EQ(cycles("T1 acq(a); T1 acq(b); T1 acq(a); T1 rel(a); T1 rel(b); T1 rel(a);"
                   "T2 acq(a); T2 acq(b); T2 rel(b); T2 rel(a)"),
            0U);
}

TEST(Deadlock, TheReacquireAfterAWaitCounts) {
  EXPECT_EQ(cycles("T1 acq(m); T1 acq(n); T1 wait(c,m); T1 wake(c,m); T1 rel(m); T1 rel(n);"
                   "T2 acq(m); T2 acq(n); T2 rel(n); T2 rel(m)"),
            1U);
}

TEST(Deadlock, LongCycles) {
  std::string text;
  const auto eat = [&](int philosopher, int of) {
    const std::string thread = "T" + std::to_string(philosopher + 1);
    const std::string left = "fork" + std::to_string(philosopher),
                      right = "fork" + std::to_string((philosopher + 1) % of);
    text += thread + " acq(" + left + ");" + thread + " acq(" + right + ");" + thread + " rel(" +
            right + ");" + thread + " rel(" + left + ");";
  };
  for (int i = 0; i < 5; ++i) eat(i, 5);
  EXPECT_EQ(check("deadlock", text).findings().at(0).object,
            "fork0 -> fork1 -> fork2 -> fork3 -> fork4 -> fork0");
  AnalysisOptions options;
  options.max_cycle = 4;
  const Checked bounded = check("deadlock", text, options);
  EXPECT_TRUE(bounded.findings().empty());
  EXPECT_EQ(bounded.pipeline->notes(),
            std::vector<std::string>{"deadlock: cycles of more than 4 locks are not looked for"});
  options.max_cycle = 8;
  options.max_cycle_search = 3;
  EXPECT_EQ(check("deadlock", text, options).pipeline->notes().size(), 1U);
}

TEST(Deadlock, ALockInNewMemoryIsAnother) {
  EXPECT_EQ(cycles("T1 acq(a); T1 acq(b); T1 rel(b); T1 rel(a); T1 destroy(a); T2 acq(b);"
                   "T2 acq(a); T2 rel(a); T2 rel(b)"),
            0U);
}

}  // namespace
}  // namespace raddle
