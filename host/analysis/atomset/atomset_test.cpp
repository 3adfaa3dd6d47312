// The papers' examples, and which accesses belong to which unit.
#include "host/analysis/atomset/atomset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/analysis/atomset/testing/atomset_testing.hpp"

namespace raddle {
namespace {

using Patterns = std::set<int>;

Patterns patterns_of(const std::string& text, const AtomicSetRun& how = {}) {
  return run_atomset(kRunning + text, how).patterns;
}

// ---- The papers' examples ----

const std::string kTransfer =
    "T1 method(transfer,account); T1 r(account.checking); T1 w(account.checking);"
    "T1 method(inc,global); T1 r(global.ops); T1 w(global.ops); T1 exit;"
    "T2 method(inc,global); T2 r(global.ops); T2 w(global.ops); T2 exit;"
    "T1 r(account.savings); T1 w(account.savings);"
    "T1 method(inc,global); T1 r(global.ops); T1 w(global.ops); T1 exit; T1 exit";

TEST(AtomicSet, Figure1IsSerializablePerSetAndNotAsOneSet) {
  EXPECT_TRUE(patterns_of(kTransfer).empty());
  AtomicSetRun one_set;
  one_set.prepare = [](AtomicSetDetector& detector, const TestTrace& trace) {
    detector.declare_set(trace.address("account"), 64, "all");
    detector.declare_set(trace.address("global"), 64, "all");
  };
  // transfer() is a unit on all of it: inc() of T2 lies between its two increments.
  EXPECT_EQ(patterns_of(kTransfer, one_set), (Patterns{1, 2, 3, 4, 5}));
}

TEST(AtomicSet, Figure3ShowsPattern11WithYAndX) {
  const AtomicSetOutcome outcome = run_atomset(
      kRunning +
      "T1 method(u1,o); T1 r(o.x); T1 r(o.y); T2 method(u2,o); T2 r(o.x); T2 r(o.y); T2 r(o.y);"
      "T2 w(o.y); T2 w(o.x); T1 r(o.x); T1 w(o.x); T1 w(o.y); T1 exit; T2 exit");
  int bound_as_there = 0;
  for (const auto& [match, set] : outcome.matches) {
    if (match.pattern != 11) continue;
    // x comes first in the object, y 8 bytes behind it.
    if (match.accesses.at(0).object == match.accesses.at(3).object + 8) ++bound_as_there;
  }
  EXPECT_EQ(bound_as_there, 1);
  const auto eleven = std::find_if(outcome.findings.begin(), outcome.findings.end(),
                                   [](const Finding& finding) { return finding.pattern == 11; });
  ASSERT_NE(eleven, outcome.findings.end());
  EXPECT_TRUE(eleven->what.starts_with("u1 of T1 run1 reads C::y")) << eleven->what;
  EXPECT_NE(eleven->what.find(", then u2 of T2 run2 writes C::y"), std::string::npos);
  EXPECT_NE(eleven->what.find(" and o.x, then u1 of T1 run1 reads o.x"), std::string::npos);
}

// ---- Units ----

TEST(AtomicSet, NestedUnitsBelongToTheOutermostOnTheSet) {
  const std::string inner = "T1 method(get,o); T1 r(o.x); T1 exit;";
  const std::string write = "T2 method(set,o); T2 w(o.x); T2 exit;";
  EXPECT_TRUE(patterns_of(inner + write + inner).empty());
  EXPECT_EQ(patterns_of("T1 method(both,o);" + inner + write + inner + "T1 exit"), Patterns{2});
  // A unit on another object does not count.
  EXPECT_TRUE(patterns_of("T1 method(both,p);" + inner + write + inner + "T1 exit").empty());
  // Unless the unit on the set is around that in turn.
  EXPECT_EQ(patterns_of("T1 method(all,o); T1 method(both,p);" + inner + write + inner +
                        "T1 exit; T1 exit"),
            Patterns{2});
}

TEST(AtomicSet, TheTwoUnitsAreOfDifferentThreads) {
  EXPECT_TRUE(patterns_of("T1 method(f,o); T1 r(o.x); T1 method(g,o); T1 w(o.x); T1 exit; "
                          "T1 w(o.x); T1 exit")
                  .empty());
}

TEST(AtomicSet, AFunctionThatTouchesASetIsAUnitOnIt) {
  EXPECT_EQ(patterns_of("T1 enter(f); T1 r(o.x); T2 enter(g); T2 w(o.x); T2 exit; T1 w(o.x)"),
            Patterns{1});
  EXPECT_TRUE(patterns_of("T1 enter(f); T1 r(o.x); T1 exit; T2 enter(g); T2 w(o.x); T2 exit; "
                          "T1 enter(f); T1 w(o.x)")
                  .empty());
}

TEST(AtomicSet, ACallbackStartsAnew) {
  const std::string text =
      "T1 method(each,o); T1 r(o.x); T1 method(visit,o); T1 r(o.y); T1 exit; "
      "T2 method(set,o); T2 w(o.x); T2 w(o.y); T2 exit; T1 method(visit,o); T1 r(o.y); T1 exit; "
      "T1 exit";
  EXPECT_EQ(patterns_of(text), (Patterns{2, 11}));
  AtomicSetRun called_back;
  called_back.edit = [](TestTrace& trace) {
    for (Event& event : trace.events)
      if (event.kind == EventKind::enter &&
          trace.sites[raw(event.site) - 1].frames[0].function == "visit")
        event.flags |= kCallback;
  };
  EXPECT_TRUE(patterns_of(text, called_back).empty());
}

TEST(AtomicSet, AnnotatedUnitsAndBlocks) {
  const std::string torn =
      "T1 method(get,o); T1 r(o.x); T1 exit; T2 method(set,o); T2 w(o.x); "
      "T2 exit; T1 method(get,o); T1 r(o.x); T1 exit;";
  EXPECT_EQ(patterns_of("T1 unit(both,o);" + torn + "T1 endunit"), Patterns{2});
  EXPECT_TRUE(patterns_of("T1 unit(both,p);" + torn + "T1 endunit").empty());
  EXPECT_EQ(patterns_of("T1 block(both);" + torn + "T1 endblock"), Patterns{2});
  EXPECT_EQ(patterns_of("T1 atomic(both);" + torn + "T1 exit"), Patterns{2});
}

// What 004 takes for a unit, and reports: the loop of a thread that locks for each round.
TEST(AtomicSet, WhatAThreadWasCreatedForIsNoUnit) {
  const std::string round1 = "T1 acq(m); T1 r(c); T1 w(c); T1 rel(m);";
  const std::string round2 = "T2 acq(m); T2 r(c); T2 w(c); T2 rel(m);";
  const std::string rounds = kRunning + round1 + round2 + round1 + round2;
  EXPECT_TRUE(run_atomset(rounds).patterns.empty());
  AtomicSetRun as_in_the_paper;
  as_in_the_paper.options.units.entry_units = true;
  EXPECT_EQ(run_atomset(rounds, as_in_the_paper).patterns, (Patterns{1, 2, 3, 4, 5}));
  // In it, what holds a lock is a unit: the other thread forgot the lock.
  EXPECT_EQ(run_atomset(kRunning + "T1 acq(m); T1 r(c); T2 w(c); T1 w(c); T1 rel(m)").patterns,
            Patterns{1});
  EXPECT_TRUE(run_atomset(kRunning + "T1 acq(m); T1 r(c); T1 rel(m); T2 w(c); T1 acq(m); T1 w(c)")
                  .patterns.empty());
}

TEST(AtomicSet, AConditionWaitEndsUnits) {
  const std::string take =
      "T1 method(take,q); T1 acq(m); T1 r(q.count); T1 wait(c,m); T2 method(put,q); T2 acq(m); "
      "T2 r(q.count); T2 w(q.count); T2 notify(c); T2 rel(m); T2 exit; T1 wake(c,m); "
      "T1 r(q.count); T1 w(q.count); T1 rel(m); T1 exit";
  EXPECT_TRUE(patterns_of(take).empty());
  AtomicSetRun as_in_the_paper;
  as_in_the_paper.options.units.split_at_wait = false;
  EXPECT_EQ(patterns_of(take, as_in_the_paper), (Patterns{1, 2}));
}

TEST(AtomicSet, TheRoundsOfALoopThatWaitsAreUnits) {
  // The worker of a pool, which does not have to wait this time.
  const auto rounds = [](const std::string& function) {
    return "T1 " + function + "(run,q); T1 acq(m)@1; T1 r(q.count); T1 w(q.count); T1 rel(m);" +
           "T2 method(put,q); T2 acq(m); T2 r(q.count); T2 w(q.count); T2 rel(m); T2 exit;" +
           "T1 acq(m)@1; T1 r(q.count); T1 w(q.count); T1 rel(m); T1 exit";
  };
  EXPECT_TRUE(patterns_of(rounds("waiter")).empty());
  EXPECT_FALSE(patterns_of(rounds("method")).empty());
  AtomicSetRun as_in_the_paper;
  as_in_the_paper.options.units.split_at_wait = false;
  EXPECT_FALSE(patterns_of(rounds("waiter"), as_in_the_paper).empty());
  // Two different places are no rounds: to look, let go and act is a mistake also in who waits.
  EXPECT_EQ(patterns_of("T1 waiter(take,q); T1 acq(m)@1; T1 r(q.count); T1 rel(m);"
                        "T2 method(put,q); T2 acq(m); T2 w(q.count); T2 rel(m); T2 exit;"
                        "T1 acq(m)@2; T1 w(q.count); T1 rel(m); T1 exit"),
            (Patterns{1}));
}

TEST(AtomicSet, ABarrierEndsUnits) {
  // Both write their half, meet, and read the other's.
  const std::string phases =
      "T1 method(work,g); T2 method(work,g); T1 w(g.a); T2 w(g.b); T1 signal(barrier);"
      "T2 signal(barrier); T2 await(barrier); T1 await(barrier); T1 r(g.b); T2 r(g.a); T1 w(g.a);"
      "T1 exit; T2 exit";
  EXPECT_TRUE(patterns_of(phases).empty());
  AtomicSetRun as_in_the_paper;
  as_in_the_paper.options.units.split_at_wait = false;
  EXPECT_FALSE(patterns_of(phases, as_in_the_paper).empty());
  // A semaphore is more like a lock.
  const std::string locked =
      "T1 method(work,g); T1 r(g.a); T1 await(s); T2 method(work,g); T2 w(g.a); T2 exit; T1 w(g.a);"
      "T1 signal(s); T1 exit";
  EXPECT_EQ(patterns_of(locked), (Patterns{1}));
}

TEST(AtomicSet, WhatCameBeforeAThreadDoesNotInterleaveWithIt) {
  const std::string text =
      "T0 enter(main); T0 method(run,o); T0 w(o.x); T0 fork(T3); T3 begin; T3 enter(start); "
      "T3 method(set,o); T3 w(o.x); T3 exit; T3 exit; T3 end; T0 join(T3); T0 r(o.x); T0 exit";
  EXPECT_TRUE(run_atomset(text).patterns.empty());
  AtomicSetRun as_in_the_paper;
  as_in_the_paper.options.fork_orders = false;
  EXPECT_EQ(run_atomset(text, as_in_the_paper).patterns, Patterns{4});
  // What it does again afterwards does: here T0 writes x anew, and T3 meets y twice.
  EXPECT_TRUE(run_atomset("T0 enter(main); T0 method(run,o); T0 w(o.x); T0 fork(T3); T3 begin; "
                          "T3 enter(start); T3 method(set,o); T3 w(o.y); T0 w(o.x); T3 w(o.y); "
                          "T3 w(o.x); T0 w(o.y)")
                  .patterns.contains(7));
}

}  // namespace
}  // namespace raddle
