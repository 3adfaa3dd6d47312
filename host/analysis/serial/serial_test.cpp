#include "host/analysis/serial/serial.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

struct Outcome {
  std::vector<Finding> findings;
  std::size_t peak = 0, left = 0;
  bool incomplete = false;
  std::vector<std::string> notes;
};

Outcome run(const std::string& text, SerialOptions options = {}) {
  AnalysisOptions all;
  all.atomic = {.annotated = true, .locks = false, .functions = false};
  Pipeline pipeline(all);
  auto detector = std::make_unique<SerialDetector>(pipeline.state(), options);
  const SerialDetector& serial = *detector;
  pipeline.add(std::move(detector));
  trace_of(text).feed(pipeline);
  return {pipeline.findings(), serial.graph().peak(), serial.graph().size(), serial.incomplete(),
          pipeline.notes()};
}

bool serializable(const std::string& text) { return run(text).findings.empty(); }

TEST(Serial, ABlockThatRunsAloneIsSerializable) {
  EXPECT_TRUE(serializable("T1 block(b); T1 r(x); T1 w(x); T1 endblock; T2 w(x); T2 r(x)"));
  EXPECT_TRUE(serializable(
      "T1 block(b); T2 block(c); T1 r(x); T2 r(y); T1 w(x); T2 w(y); T1 endblock; T2 endblock"));
}

TEST(Serial, ATornUpdateIsNot) {
  EXPECT_FALSE(serializable(
      "T1 block(b); T1 r(x); T2 block(c); T2 w(x); T2 endblock; T1 w(x); T1 endblock"));
  // In one direction only: T2 comes after T1.
  EXPECT_TRUE(serializable(
      "T1 block(b); T1 r(x); T2 block(c); T2 w(x); T2 endblock; T1 r(y); T1 endblock"));
}

TEST(Serial, CodeOutsideAnyBlockIsATransactionOfOneEvent) {
  EXPECT_FALSE(serializable("T1 block(b); T1 r(x); T2 w(x); T1 r(x); T1 endblock"));
  // Two events outside: each its own, so T2 may come apart.
  EXPECT_TRUE(serializable("T2 r(x); T1 block(b); T1 w(x); T1 endblock; T2 r(x)"));
  EXPECT_FALSE(serializable(
      "T2 block(c); T2 r(x); T1 block(b); T1 w(x); T1 endblock; T2 r(x); T2 endblock"));
}

// The order of T2's own events closes the cycle: w(x) in the block, then outside it r(x), w(y).
TEST(Serial, TheOrderOfAThreadCountsOutsideBlocks) {
  EXPECT_FALSE(serializable("T1 block(b); T1 w(x); T2 r(x); T2 w(y); T1 r(y); T1 endblock"));
  EXPECT_TRUE(serializable("T1 block(b); T1 w(x); T2 w(y); T2 r(x); T1 r(z); T1 endblock"));
}

TEST(Serial, OnlyTheOutermostBlockCounts) {
  EXPECT_FALSE(serializable(
      "T1 block(a); T1 block(b); T1 r(x); T1 endblock; T2 w(x); T1 block(c); T1 w(x); T1 endblock; "
      "T1 endblock"));
  EXPECT_TRUE(serializable(
      "T1 block(b); T1 r(x); T1 endblock; T2 w(x); T1 block(c); T1 w(x); T1 endblock"));
}

// "The same thread wrote last" must not hide the later edge to T0's transaction.
TEST(Serial, RepeatedWritesOfOneThreadStillPassOrderOn) {
  EXPECT_FALSE(serializable(
      "T1 block(b); T1 w(x); T0 w(x); T0 block(c); T0 w(x); T0 endblock; T1 r(x); T1 endblock"));
}

// a -> b comes last but one, when c and d already come after b.
TEST(Serial, OrderReachesWhatAlreadyCameAfter) {
  EXPECT_FALSE(serializable(
      "T1 block(a); T1 w(p); T2 block(b); T2 w(q); T3 block(c); T3 r(q); T3 w(s); T3 endblock; "
      "T4 block(d); T4 r(s); T4 w(t); T4 endblock; T2 r(p); T1 r(t); T1 endblock; T2 endblock"));
}

TEST(Serial, ForkComesBeforeTheChildAndJoinAfterIt) {
  const std::string child = "T0 fork(T1); T1 begin; T1 r(x); T1 end; ";
  // The child comes after the block that created it, and before the one that joined it.
  EXPECT_FALSE(serializable("T0 block(b); " + child + "T0 join(T1); T0 endblock"));
  EXPECT_TRUE(serializable("T0 block(b); " + child + "T0 endblock; T0 join(T1)"));
  EXPECT_TRUE(
      serializable("T0 block(b); T0 fork(T1); T0 endblock; T1 begin; T1 end; T0 block(c); "
                   "T0 join(T1); T0 endblock"));
  // Through the child's first event, whatever it is.
  EXPECT_FALSE(serializable("bare; T0 block(b); T0 fork(T1); T1 w(y); T0 r(y); T0 endblock"));
}

TEST(Serial, LocksOrderReleaseBeforeAcquire) {
  const std::string apart = "T1 acq(m); T1 rel(m); ";
  EXPECT_FALSE(
      serializable("T1 block(b); " + apart + "T2 acq(m); T2 rel(m); " + apart + "T1 endblock"));
  EXPECT_TRUE(
      serializable("T1 block(b); " + apart + "T2 acq(n); T2 rel(n); " + apart + "T1 endblock"));
  // The inner release of a recursive lock gives nothing up.
  EXPECT_TRUE(
      serializable("T1 block(b); T1 acq(m); T1 acq(m); T1 rel(m); T1 rel(m); T1 endblock; "
                   "T2 acq(m); T2 rel(m)"));
  // Readers do not order readers.
  EXPECT_TRUE(
      serializable("T1 block(b); T1 racq(m); T1 rrel(m); T2 racq(m); T2 rrel(m); "
                   "T1 racq(m); T1 rrel(m); T1 endblock"));
  EXPECT_FALSE(
      serializable("T1 block(b); T1 racq(m); T1 rrel(m); T2 acq(m); T2 rel(m); "
                   "T1 racq(m); T1 rrel(m); T1 endblock"));
}

TEST(Serial, WaitsNotificationsAndSignalsOrder) {
  EXPECT_FALSE(
      serializable("T1 block(b); T1 signal(s); T2 await(s); T2 signal(t); T1 await(t); "
                   "T1 endblock"));
  EXPECT_TRUE(
      serializable("T1 block(b); T2 await(s); T1 signal(s); T2 signal(t); T1 await(t); "
                   "T1 endblock"));
  // T2 waits, T1 wakes it up and waits for what it does then.
  EXPECT_FALSE(
      serializable("T2 acq(m); T2 wait(c,m); T1 block(b); T1 notify(c); T2 wake(c,m); "
                   "T2 w(x); T1 r(x); T1 endblock"));
  // A notification before the wait has woken nobody up.
  EXPECT_TRUE(
      serializable("T2 acq(m); T1 block(b); T1 notify(c); T2 wait(c,m); T2 wake(c,m); "
                   "T2 w(x); T1 r(x); T1 endblock"));
}

TEST(Serial, AtomicOperationsConflictAsAccesses) {
  EXPECT_FALSE(
      serializable("T1 block(b); T1 load(x,sc); T2 store(x,sc); T1 load(x,sc); T1 endblock"));
  EXPECT_FALSE(serializable("T1 block(b); T1 load(x,rlx); T2 rmw(x,rlx); T1 r(x); T1 endblock"));
  EXPECT_TRUE(
      serializable("T1 block(b); T1 load(x,sc); T2 casfail(x,sc); T1 load(x,sc); T1 endblock"));
  EXPECT_FALSE(
      serializable("T1 block(b); T1 load(x,sc); T2 cas(x,sc); T1 load(x,sc); T1 endblock"));
}

TEST(Serial, OnlyBytesThatOverlapConflict) {
  EXPECT_TRUE(serializable("T1 block(b); T1 r(x+0:4); T2 w(x+4:4); T1 w(x+0:4); T1 endblock"));
  EXPECT_FALSE(serializable("T1 block(b); T1 r(x+0:4); T2 w(x+2:4); T1 w(x+0:4); T1 endblock"));
  EXPECT_FALSE(serializable("T1 block(b); T1 rr(x,64); T2 w(x+56:8); T1 r(x+56:8); T1 endblock"));
  EXPECT_FALSE(
      serializable("T1 block(b); T1 w(x+6:4); T2 w(x+8:1); T1 r(x+9:1); T1 r(x+8:1); "
                   "T1 endblock"));
}

TEST(Serial, MemoryThatIsUsedAgainIsOtherMemory) {
  EXPECT_TRUE(serializable(
      "T1 alloc(x,8); T1 block(b); T1 w(x); T1 free(x); T2 alloc(x,8); T2 w(x); T2 free(x); "
      "T1 alloc(x,8); T1 w(x); T1 endblock"));
  EXPECT_FALSE(serializable("T1 alloc(x,8); T1 block(b); T1 w(x); T2 w(x); T1 w(x); T1 endblock"));
}

TEST(Serial, TheReportShowsTheCycle) {
  const Outcome outcome =
      run("T1 atomic(transfer); T1 r(x); T2 atomic(deposit); T2 w(x); T2 w(y); T2 exit; "
          "T3 atomic(audit); T3 r(y); T3 w(z); T3 exit; T1 r(z); T1 exit");
  ASSERT_EQ(outcome.findings.size(), 1U);
  const Finding& finding = outcome.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::serializability);
  EXPECT_NE(finding.what.find("transfer of T1"), std::string::npos) << finding.what;
  EXPECT_NE(finding.what.find("deposit of T2"), std::string::npos) << finding.what;
  EXPECT_NE(finding.what.find("audit of T3"), std::string::npos) << finding.what;
  EXPECT_FALSE(finding.why.empty());
  std::string steps;
  for (const FindingStep& step : finding.steps)
    steps +=
        "T" + std::to_string(raw(step.event.thread)) + " " + finding_role_text(step.role) + ";";
  EXPECT_EQ(steps,
            "T1 enters the block;T1 reads;T2 enters the block;T2 writes;T2 writes;"
            "T3 enters the block;T3 reads;T3 writes;T1 reads;");
}

TEST(Serial, OneFindingPerPlaceAndOneCountPerBlock) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text +=
        "T1 block(b)@1; T1 r(x)@2; T2 w(x)@3; T1 r(x)@4; T1 r(x)@4; T2 w(x)@3; T1 w(x)@5; "
        "T1 endblock@6;";
  const Outcome outcome = run(text);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].count, 5U);
}

TEST(Serial, WhatCanNoLongerMatterIsForgotten) {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const std::string thread = "T" + std::to_string(1 + i % 3);
    text += thread + " block(b)@1;" + thread + " r(x)@2;" + thread + " w(x)@3;" + thread +
            " endblock@4;";
  }
  const Outcome outcome = run(text);
  EXPECT_TRUE(outcome.findings.empty());
  EXPECT_LE(outcome.peak, 3U);
  EXPECT_EQ(outcome.left, 0U);
}

// A block that stays open keeps alive what comes after it, up to the bound.
TEST(Serial, TheBoundIsKeptAndSaid) {
  std::string text = "T1 block(long); T1 w(x)@1;";
  for (int i = 0; i < 500; ++i) text += "T2 r(x)@2; T2 w(y)@3; T3 r(y)@4; T3 w(x)@5;";
  SerialOptions options;
  options.max_transactions = 100;
  const Outcome bounded = run(text + "T1 r(y)@6", options);
  EXPECT_LE(bounded.peak, 100U);
  EXPECT_TRUE(bounded.incomplete);
  ASSERT_EQ(bounded.notes.size(), 1U);
  EXPECT_NE(bounded.notes[0].find("100"), std::string::npos);
  const Outcome free = run(text + "T1 r(y)@6");
  EXPECT_FALSE(free.incomplete);
  EXPECT_EQ(free.findings.size(), 1U);
}

TEST(Serial, AStreamThatMakesNoSenseIsSurvived) {
  EXPECT_NO_THROW(
      run("bare; T3 rel(m); T3 endblock; T3 join(T9); T3 wake(c,m); T3 exit; T3 end; "
          "T3 w(x); T3 block(b); T3 end; T3 r(x); T0 fork(T0); T0 join(T0); "
          "T1 wr(x,9000000000000000000); T1 free(x)"));
}

}  // namespace
}  // namespace raddle
