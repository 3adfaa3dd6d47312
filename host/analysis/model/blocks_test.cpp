#include "host/analysis/model/blocks.hpp"

#include <gtest/gtest.h>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

// Writes down what is announced, with the events in between.
class Recorder final : public Detector {
 public:
  Recorder(const TestTrace& trace, std::vector<std::string>& log) : trace_(trace), log_(log) {}
  void on_event(const Event& event) override {
    if (event.kind == EventKind::fork || event.kind == EventKind::thread_begin) return;
    log_.push_back(trace_.text(event));
  }
  void on_block_begin(const AtomicBlock& block) override { say("begin", block); }
  void on_block_end(const AtomicBlock& block) override { say("end", block); }
  void on_block_abandoned(const AtomicBlock& block) override { say("abandon", block); }
  std::vector<Finding> take_findings() override { return {}; }

 private:
  void say(const std::string& what, const AtomicBlock& block) {
    log_.push_back(what + " " + std::to_string(block.number) + " depth " +
                   std::to_string(block.depth));
  }
  const TestTrace& trace_;
  std::vector<std::string>& log_;
};

using Log = std::vector<std::string>;

Log blocks(std::string_view text, BlockSources sources) {
  const TestTrace trace = trace_of(text);
  AnalysisOptions options;
  options.atomic = sources;
  Pipeline pipeline(options);
  Log log;
  pipeline.add(std::make_unique<Recorder>(trace, log));
  trace.feed(pipeline);
  return log;
}

constexpr BlockSources kAnnotated{true, false, false}, kLocks{false, true, false},
    kFunctions{false, false, true};

TEST(Blocks, ALocksOperationsAreOutsideOfItsBlock) {
  EXPECT_EQ(
      blocks("T1 acq(m); T1 r(x); T1 rel(m)", kLocks),
      (Log{"T1 acquire(m)", "begin 0 depth 0", "T1 read(x)", "end 0 depth 0", "T1 release(m)"}));
}

TEST(Blocks, OnlyTheOutermostOfARecursiveLock) {
  EXPECT_EQ(blocks("T1 acq(m); T1 acq(m); T1 rel(m); T1 rel(m)", kLocks),
            (Log{"T1 acquire(m)", "begin 0 depth 0", "T1 acquire(m)", "T1 release(m)",
                 "end 0 depth 0", "T1 release(m)"}));
}

TEST(Blocks, RegionsThatOverlap) {
  EXPECT_EQ(blocks("T1 acq(a); T1 acq(b); T1 rel(a); T1 rel(b)", kLocks),
            (Log{"T1 acquire(a)", "begin 0 depth 0", "T1 acquire(b)", "begin 1 depth 1",
                 "end 0 depth 0", "T1 release(a)", "end 1 depth 1", "T1 release(b)"}));
}

TEST(Blocks, AnnotatedOnesNestAndOthersDoNotCount) {
  EXPECT_EQ(
      blocks("T1 block(a); T1 acq(m); T1 atomic(f); T1 exit; T1 rel(m); T1 endblock", kAnnotated),
      (Log{"T1 atomic block enter()", "begin 0 depth 0", "T1 acquire(m)", "T1 enter()",
           "begin 1 depth 1", "end 1 depth 1", "T1 exit()", "T1 release(m)", "end 0 depth 0",
           "T1 atomic block exit()"}));
}

TEST(Blocks, FunctionsButNotThreadEntries) {
  EXPECT_EQ(blocks("T1 method(run,o); T1 method(f,o); T1 exit; T1 exit", kFunctions),
            (Log{"T1 enter(o)", "T1 enter(o)", "begin 0 depth 0", "end 0 depth 0", "T1 exit(o)",
                 "T1 exit(o)"}));
}

TEST(Blocks, AThreadEntryIsTheFirstFunctionOfTheProgram) {
  // Below std::thread's own functions, which are in a system header.
  TestTrace trace = trace_of(
      "T1 enter(invoke); T1 method(run,o); T1 method(f,o); T1 exit;"
      "T1 exit; T1 exit");
  for (Site& site : trace.sites)
    if (site.frames[0].function == "invoke") site.frames[0].file = "/usr/include/c++/12/thread";
  AnalysisOptions options;
  options.atomic = kFunctions;
  Pipeline pipeline(options);
  Log log;
  pipeline.add(std::make_unique<Recorder>(trace, log));
  trace.feed(pipeline);
  EXPECT_EQ(std::count(log.begin(), log.end(), "begin 0 depth 0"), 1);
  EXPECT_EQ(log[2], "T1 enter(o)");  // f, not run
  EXPECT_EQ(log[3], "begin 0 depth 0");
}

TEST(Blocks, AWaitWithItsOwnLockAbandonsABlock) {
  EXPECT_EQ(blocks("T1 acq(m); T1 wait(c,m); T1 wake(c,m); T1 rel(m)", kLocks),
            (Log{"T1 acquire(m)", "begin 0 depth 0", "abandon 0 depth 0", "T1 wait(c)",
                 "T1 release(m)", "T1 wake(c)", "T1 acquire(m)", "T1 release(m)"}));
  // A lock from outside of the function is not its own.
  const Log outside = blocks(
      "T1 enter(main); T1 acq(m); T1 method(f,o); T1 wait(c,m);"
      "T1 wake(c,m); T1 exit; T1 rel(m); T1 exit",
      kFunctions);
  EXPECT_EQ(std::count(outside.begin(), outside.end(), "abandon 0 depth 0"), 0);
  EXPECT_EQ(std::count(outside.begin(), outside.end(), "end 0 depth 0"), 1);
  // An annotated block is never abandoned.
  const Log said = blocks(
      "T1 block(b); T1 acq(m); T1 wait(c,m); T1 wake(c,m); T1 rel(m);"
      "T1 endblock",
      kAnnotated);
  EXPECT_EQ(std::count(said.begin(), said.end(), "abandon 0 depth 0"), 0);
}

TEST(Blocks, EndWithTheirThread) {
  EXPECT_EQ(blocks("T1 block(a); T1 block(b); T1 end", kAnnotated),
            (Log{"T1 atomic block enter()", "begin 0 depth 0", "T1 atomic block enter()",
                 "begin 1 depth 1", "end 1 depth 1", "end 0 depth 0", "T1 end()"}));
}

}  // namespace
}  // namespace raddle
