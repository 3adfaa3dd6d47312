#include "host/analysis/race/race.hpp"

#include <algorithm>

#include "host/analysis/testing/findings_of.hpp"

namespace raddle {
namespace {

std::size_t races(std::string_view text) { return count("race", text); }

std::size_t count_certain(std::string_view text) {
  const Checked checked = check("race", text);
  return static_cast<std::size_t>(
      std::count_if(checked.findings().begin(), checked.findings().end(),
                    [](const Finding& finding) { return !finding.meant_as_atomic; }));
}

TEST(Race, BothAccessesWithStacksAndLocks) {
  const Checked checked = check("race",
                                "T1 enter(put); T1 acq(m); T1 w(x)@10; T1 rel(m); T1 exit;"
                                "T2 enter(get); T2 acq(n); T2 r(x)@20; T2 rel(n); T2 exit");
  ASSERT_EQ(checked.findings().size(), 1U);
  const Finding& race = checked.findings()[0];
  EXPECT_EQ(race.kind, FindingKind::race);
  EXPECT_EQ(race.level, FindingLevel::kConfirmed);
  EXPECT_EQ(race.object, "x");
  EXPECT_EQ(checked.steps(race),
            (std::vector<std::string>{"T1 writes x line 10", "T2 reads x line 20"}));
  EXPECT_EQ(race.steps[0].locks, std::vector<std::string>{"m"});
  EXPECT_EQ(race.steps[1].locks, std::vector<std::string>{"n"});
  ASSERT_EQ(race.steps[0].stack.size(), 1U);
  EXPECT_EQ(checked.pipeline->state().function(race.steps[0].stack[0]), "put");
  EXPECT_EQ(checked.pipeline->state().function(race.steps[1].stack[0]), "get");
  EXPECT_NE(race.place, 0U);
}

TEST(Race, WhatMayBeOrderedUnseenIsNotCertain) {
  TestTrace trace = trace_of("T1 w(x); T2 w(x)");
  trace.header.unseen = {"libownlock.so"};
  AnalysisOptions options;
  options.detectors = {"race", "lockset"};
  const auto pipeline = Pipeline::make(options);
  trace.feed(**pipeline);
  const std::vector<Finding>& found = (*pipeline)->findings();
  ASSERT_EQ(found.size(), 2U);
  for (const Finding& finding : found) EXPECT_EQ(finding.maybe_ordered_by, trace.header.unseen);
  EXPECT_NE(found[0].what.find("nothing that was seen orders the two accesses"), std::string::npos);

  const Checked certain = check("race", "T1 w(x); T2 w(x)");
  EXPECT_TRUE(certain.findings()[0].maybe_ordered_by.empty());
  EXPECT_NE(certain.findings()[0].what.find("nothing orders the two accesses"), std::string::npos);
}

TEST(Race, AnAccessInAHeaderSaysHowItWasReached) {
  TestTrace trace = trace_of("T1 w(x); T2 r(x)");
  for (Site& site : trace.sites) {
    if (site.kind != EventKind::read) continue;
    site.frames = {{"Ptr::get", "/lib/ptr.hpp", 44, 1},
                   {"std::invoke", "/usr/include/c++/12/functional", 7, 1},
                   {"Queue::pop", "/lib/queue.hpp", 20, 1},
                   {"consume", "/src/test.cpp", 9, 1}};
  }
  AnalysisOptions options;
  options.detectors = {"race"};
  const auto pipeline = Pipeline::make(options);
  trace.feed(**pipeline);
  ASSERT_EQ((*pipeline)->findings().size(), 1U);
  EXPECT_NE((*pipeline)->findings()[0].why.find("T2 reads it in Ptr::get (ptr.hpp:44) < Queue::pop "
                                                "(queue.hpp:20) < consume (test.cpp:9)."),
            std::string::npos)
      << (*pipeline)->findings()[0].why;
}

TEST(Race, LocksOrder) {
  EXPECT_EQ(races("T1 acq(m); T1 w(x); T1 rel(m); T2 acq(m); T2 w(x); T2 rel(m)"), 0U);
  // Exact for the execution: another order of the same program would race, this one does not.
  EXPECT_EQ(races("T1 w(x); T1 acq(m); T1 rel(m); T2 acq(m); T2 rel(m); T2 w(x)"), 0U);
  EXPECT_EQ(races("T2 acq(m); T2 rel(m); T2 w(x); T1 w(x); T1 acq(m); T1 rel(m)"), 1U);
}

TEST(Race, AnInnerReleaseOrdersNothing) {
  EXPECT_EQ(races("T1 acq(m); T1 acq(m); T1 rel(m); T1 w(x); T1 rel(m);"
                  "T2 acq(m); T2 r(x); T2 rel(m)"),
            0U);
  EXPECT_EQ(races("T1 acq(m); T1 acq(m); T1 rel(m); T1 rel(m); T1 w(x);"
                  "T2 acq(m); T2 r(x); T2 rel(m)"),
            1U);
}

TEST(Race, ReadersReleaseBeforeWritersOnly) {
  EXPECT_EQ(races("T1 racq(m); T1 r(x); T1 rrel(m); T2 acq(m); T2 w(x); T2 rel(m)"), 0U);
  EXPECT_EQ(races("T1 acq(m); T1 w(x); T1 rel(m); T2 racq(m); T2 r(x); T2 rrel(m)"), 0U);
  EXPECT_EQ(races("T1 racq(m); T1 w(x); T1 rrel(m); T2 racq(m); T2 r(x); T2 rrel(m)"), 1U);
}

TEST(Race, ALockThatBothHoldForReadingIsNamed) {
  const auto why = [](const std::string& text) { return check("race", text).findings()[0].why; };
  EXPECT_TRUE(why("T1 racq(m); T1 w(x); T2 racq(m); T2 r(x)")
                  .ends_with("Both threads hold m for reading only, which does not keep the other "
                             "one out: T1 writes, and must hold it for writing."));
  EXPECT_NE(why("T1 racq(m); T1 r(x); T2 racq(m); T2 w(x)").find("T2 writes"), std::string::npos);
  EXPECT_EQ(why("T1 racq(m); T1 r(x); T2 racq(n); T2 w(x)").find("for reading"), std::string::npos);
  EXPECT_EQ(why("T1 r(x); T2 racq(n); T2 w(x)").find("for reading"), std::string::npos);
}

TEST(Race, ForkAndJoin) {
  EXPECT_EQ(races("T0 w(x); T0 fork(T1); T1 w(x); T1 end; T0 join(T1); T0 w(x)"), 0U);
  EXPECT_EQ(races("T0 fork(T1); T0 w(x); T1 r(x)"), 1U);
  EXPECT_EQ(races("T0 fork(T1); T1 w(x); T1 end; T0 r(x); T0 join(T1)"), 1U);
}

TEST(Race, ThreadIdsThatAreUsedAgain) {
  // The second T1 is not ordered after T2, though the first T1 was.
  EXPECT_EQ(races("T0 fork(T1); T1 w(x); T1 end; T0 join(T1); T0 fork(T1); T1 r(x)"), 0U);
  EXPECT_EQ(races("T0 fork(T2); T0 fork(T1); T1 w(x); T1 end; T2 fork(T1); T1 r(x)"), 1U);
}

TEST(Race, AThreadThatEndedWithASemaphoreIsJoinedAllTheSame) {
  // The post of T0 says that what T1 waited for is no lock; T1 has ended by then.
  EXPECT_EQ(races("T0 fork(T1); T1 down(s); T1 w(x); T1 end; T0 up(s); T0 join(T1); T0 w(x)"), 0U);
}

TEST(Race, SignalsAndConditions) {
  EXPECT_EQ(races("T1 w(x); T1 signal(s); T2 await(s); T2 w(x)"), 0U);
  EXPECT_EQ(races("T1 signal(s); T1 w(x); T2 await(s); T2 w(x)"), 1U);
  EXPECT_EQ(races("T2 acq(m); T2 wait(c,m); T1 w(x); T1 notify(c); T2 wake(c,m); T2 r(x)"), 0U);
}

TEST(Race, AWakeUpThatWasNotNotifiedOrdersNothing) {
  TestTrace trace =
      trace_of("T2 acq(m); T2 wait(c,m); T1 w(x); T1 notify(c); T2 wake(c,m); T2 r(x)");
  for (Event& event : trace.events)
    if (event.kind == EventKind::wake) event.value = 1;  // timed out
  Pipeline pipeline{AnalysisOptions{}};
  pipeline.add(std::make_unique<RaceDetector>(pipeline.state()));
  trace.feed(pipeline);
  EXPECT_EQ(pipeline.findings().size(), 1U);
}

TEST(Race, ReleaseAndAcquire) {
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 load(f,acq); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,sc); T2 load(f,sc); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rlx); T2 load(f,acq); T2 r(x)"), 1U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 load(f,rlx); T2 r(x)"), 1U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 casfail(f,acq); T2 r(x)"), 0U);
  // A compare that failed stored nothing.
  EXPECT_EQ(races("T1 w(x); T1 casfail(f,rel); T2 load(f,acq); T2 r(x)"), 1U);
}

TEST(Race, ReleaseSequences) {
  // Through a read-modify-write, of whatever order.
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T3 rmw(f,rlx); T2 load(f,acq); T2 r(x)"), 0U);
  // A store by another thread, and by the same one, ends it.
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T3 store(f,rlx); T2 load(f,acq); T2 r(x)"), 1U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T1 store(f,rlx); T2 load(f,acq); T2 r(x)"), 1U);
}

TEST(Race, Fences) {
  EXPECT_EQ(races("T1 w(x); T1 fence(rel); T1 store(f,rlx); T2 load(f,acq); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 load(f,rlx); T2 fence(acq); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 fence(rel); T1 w(x); T1 store(f,rlx); T2 load(f,acq); T2 r(x)"), 1U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 fence(acq); T2 load(f,rlx); T2 r(x)"), 1U);
}

TEST(Race, AtomicsRaceWithPlainAccessesOnly) {
  EXPECT_EQ(races("T1 store(x,rlx); T2 store(x,rlx); T3 rmw(x,rlx); T2 load(x,rlx)"), 0U);
  EXPECT_EQ(races("T1 store(x,rlx); T2 r(x)"), 1U);
  EXPECT_EQ(races("T1 load(x,rlx); T2 w(x)"), 1U);
  EXPECT_EQ(races("T1 load(x,rlx); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T2 rmw(x,sc)"), 1U);
}

TEST(Race, AFullBarrierIsAFenceOnEitherSide) {
  EXPECT_EQ(races("T1 w(x); T1 rmw(g,bar); T1 store(f,rlx); T2 load(f,acq); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T1 rmw(g,sc); T1 store(f,rlx); T2 load(f,acq); T2 r(x)"), 1U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 load(f,rlx); T2 rmw(g,bar); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 load(f,rlx); T2 casfail(g,bar); T2 r(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T1 rmw(f,bar); T2 rmw(f,bar); T2 r(x)"), 0U);
}

TEST(Race, VolatileAccessesMayBeMeantAsRelaxedAtomics) {
  for (const char* text : {"T1 vw(x); T2 vr(x)", "T1 vr(x); T2 vw(x)", "T1 vw(x); T2 vw(x)",
                           "T1 store(x,rlx); T2 vr(x)", "T1 vr(x); T2 rmw(x,bar)"}) {
    const Checked checked = check("race", text);
    ASSERT_EQ(checked.findings().size(), 1U) << text;
    EXPECT_TRUE(checked.findings()[0].meant_as_atomic) << text;
    EXPECT_EQ(checked.findings()[0].level, FindingLevel::kCandidate) << text;
    EXPECT_TRUE(rests_on_inference(checked.findings()[0])) << text;
  }
  EXPECT_EQ(races("T1 vr(x); T2 vr(x)"), 0U);
  EXPECT_EQ(races("T1 acq(m); T1 vw(x); T1 rel(m); T2 acq(m); T2 vr(x); T2 rel(m)"), 0U);
  // A plain access is no atomic one, whatever the other is.
  for (const char* text : {"T1 vw(x); T2 r(x)", "T1 w(x); T2 vr(x)"}) {
    const Checked checked = check("race", text);
    ASSERT_EQ(checked.findings().size(), 1U) << text;
    EXPECT_FALSE(checked.findings()[0].meant_as_atomic) << text;
    EXPECT_EQ(checked.findings()[0].level, FindingLevel::kConfirmed) << text;
  }
  // What is unordered and meant so does not hide what is not.
  const Checked both = check("race", "T1 vw(x)@1; T2 vr(x)@2; T3 w(x)@3");
  EXPECT_EQ(both.findings().size(), 2U);
}

TEST(Race, VolatileHandsOverOnlyWhatAFenceSaw) {
  EXPECT_EQ(count_certain("T1 w(x); T1 vw(f); T2 vr(f); T2 r(x)"), 1U);
  EXPECT_EQ(count_certain("T1 w(x); T1 fence(sc); T1 vw(f); T2 vr(f); T2 r(x)"), 0U);
  EXPECT_EQ(count_certain("T1 w(x); T1 rmw(g,bar); T1 vw(f); T2 vr(f); T2 r(x)"), 0U);
  EXPECT_EQ(count_certain("T1 w(x); T1 rmw(f,bar); T2 vr(f); T2 r(x)"), 0U);
  EXPECT_EQ(count_certain("T1 rmw(g,bar); T1 w(x); T1 vw(f); T2 vr(f); T2 r(x)"), 1U);
}

TEST(Race, ConcurrentReadsAreAllRemembered) {
  EXPECT_EQ(races("T1 r(x); T2 r(x); T3 r(x); T1 signal(s); T3 signal(s); T4 await(s); T4 w(x)"),
            1U);
  EXPECT_EQ(races("T1 r(x); T2 r(x); T1 signal(s); T2 signal(s); T4 await(s); T4 w(x)"), 0U);
}

TEST(Race, PartsOfVariables) {
  EXPECT_EQ(races("T1 w(x:4); T2 w(x+4:4)"), 0U);
  EXPECT_EQ(races("T1 w(x:4); T2 w(x+3:1)"), 1U);
  EXPECT_EQ(races("T1 w(x:8); T2 r(x+7:2)"), 1U);
  EXPECT_EQ(races("T1 w(x+6:4); T2 r(x+8:1)"), 1U);  // across two words
  EXPECT_EQ(races("T1 w(x+1:1); T2 w(x+2:1); T1 w(x+1:1)"), 0U);
  EXPECT_EQ(races("T1 wr(x,64); T2 r(x+63:1)"), 1U);
  EXPECT_EQ(races("T1 wr(x,64); T2 r(x+64:1)"), 0U);
  EXPECT_EQ(races("T1 wr(x,0); T2 w(x)"), 0U);
}

TEST(Race, ElementsOfArraysAreLocationsOfTheirOwn) {
  EXPECT_EQ(races("T1 w(a[0]); T2 w(a[1]); T1 w(a[2]); T2 w(a[3])"), 0U);
  EXPECT_EQ(races("T1 w(a[0]); T2 w(a[1]); T1 w(a[1])"), 1U);
}

TEST(Race, NewMemoryHasNoPast) {
  EXPECT_EQ(races("T1 w(x); T2 alloc(x,8); T2 w(x)"), 0U);
  EXPECT_EQ(races("T2 w(x); T2 free(x); T1 w(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T2 local(x,8); T2 w(x)"), 0U);
  EXPECT_EQ(races("T1 w(x); T2 alloc(x,4); T2 w(x+4:4)"), 1U);
  // Neither have the locks and atomics in it: m is another mutex, f another flag.
  EXPECT_EQ(races("T1 w(x); T1 acq(m); T1 rel(m); T2 alloc(m,40); T2 acq(m); T2 rel(m); T2 w(x)"),
            1U);
  EXPECT_EQ(races("T1 w(x); T1 store(f,rel); T2 alloc(f,8); T2 load(f,acq); T2 w(x)"), 1U);
}

TEST(Race, ToFreeIsToWriteAllOfIt) {
  EXPECT_EQ(races("T1 alloc(x,8); T1 r(x+4:1); T2 free(x)"), 1U);
  EXPECT_EQ(races("T1 alloc(x,8); T1 load(x,acq); T2 free(x)"), 1U);
  EXPECT_EQ(races("T1 alloc(x,8); T1 r(x); T1 rmw(n,rel); T2 rmw(n,acq); T2 free(x)"), 0U);
  EXPECT_EQ(races("T1 alloc(x,8); T1 acq(m); T1 r(x); T1 rel(m);"
                  "T2 acq(m); T2 free(x); T2 rel(m)"),
            0U);
  const Checked checked = check("race", "T1 alloc(x,8); T1 w(x)@1; T2 free(x)@2");
  ASSERT_EQ(checked.findings().size(), 1U);
  const Finding& race = checked.findings()[0];
  EXPECT_EQ(race.steps[1].role, FindingRole::frees);
  EXPECT_NE(race.what.find("T2 frees "), std::string::npos) << race.what;
  EXPECT_NE(race.what.find("while T1 writes it: nothing orders the two"), std::string::npos);
}

// A library that has no hooks counts references unseen: what it allocates or frees may be ordered.
TEST(Race, AFreeByCodeThatIsNotSeenMayBeOrdered) {
  for (const EventKind unseen : {EventKind::free, EventKind::allocate, EventKind::none}) {
    TestTrace trace = trace_of("T1 alloc(x,8); T1 w(x); T2 free(x)");
    for (const Event& event : trace.events) {
      if (event.kind == unseen) trace.sites[raw(event.site) - 1].frames.clear();
    }
    AnalysisOptions options;
    options.detectors = {"race"};
    const auto pipeline = Pipeline::make(options);
    trace.feed(**pipeline);
    EXPECT_EQ((*pipeline)->findings().empty(), unseen != EventKind::none);
  }
}

TEST(Race, WhoFreesMustHoldTheLockForWriting) {
  const Checked checked = check("race",
                                "T1 alloc(x,8); T1 racq(m); T1 r(x); T2 racq(m); T2 free(x);"
                                "T1 rrel(m); T2 rrel(m)");
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_NE(checked.findings()[0].why.find("T2 frees it, and must hold it for writing"),
            std::string::npos)
      << checked.findings()[0].why;
}

TEST(Race, TheFirstRaceOfALocationOnlyAndPlacesAreCounted) {
  const Checked checked = check("race",
                                "T1 w(a[0])@5; T1 w(a[1])@5; T1 w(a[2])@5;"
                                "T2 w(a[0])@9; T2 w(a[1])@9; T2 w(a[0])@9");
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.findings()[0].count, 2U);
  const Checked same = check("race",
                             "T1 w(x)@5; T2 w(x)@5; T1 w(x)@5; T2 alloc(x,8); T2 w(x)@5;"
                             "T1 w(x)@5");
  ASSERT_EQ(same.findings().size(), 1U);
  EXPECT_EQ(same.findings()[0].count, 2U);
}

// Pairs that race where all accesses are of the pointer to an object's virtual functions.
std::size_t vptr_races(std::string_view text) {
  TestTrace trace = trace_of(text);
  for (Site& site : trace.sites) site.field = "(vptr)";
  Pipeline pipeline{AnalysisOptions{}};
  pipeline.add(make_race_detector(pipeline.state(), AnalysisOptions{}));
  trace.feed(pipeline);
  return pipeline.findings().size();
}

TEST(Race, ADestructorThatWritesTheTableThatIsThere) {
  EXPECT_EQ(vptr_races("T1 w(x=5)@1; T1 signal(s); T2 await(s); T2 r(x)@2; T1 w(x=5)@3"), 0U);
  EXPECT_EQ(vptr_races("T1 w(x=5)@1; T1 signal(s); T2 await(s); T2 r(x)@2; T1 w(x=6)@3"), 1U);
  EXPECT_EQ(vptr_races("T1 signal(s); T2 await(s); T2 r(x)@2; T1 w(x=5)@3"), 1U)
      << "what was there is not known";
  EXPECT_EQ(vptr_races("T1 w(x=5)@1; T1 wr(x,16)@2; T1 signal(s); T2 await(s); T2 r(x)@3;"
                       "T1 w(x=5)@4"),
            1U);
}

}  // namespace
}  // namespace raddle
