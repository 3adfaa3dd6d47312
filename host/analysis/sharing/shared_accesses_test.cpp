#include "host/analysis/sharing/shared_accesses.hpp"

#include <gtest/gtest.h>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/sharing/testing/shared_part.hpp"

namespace raddle {
namespace {

// The accesses that stay, "T1 write(x)" each.
// What a thread does first stays, so each makes an access before.
std::vector<std::string> kept(const std::string& text) {
  const TestTrace part = shared_part(trace_of("T1 w(o1); T2 w(o2); " + text));
  std::vector<std::string> texts;
  for (const Event& event : part.events)
    if (is_access(event.kind)) texts.push_back(part.text(event));
  texts.erase(texts.begin(), texts.begin() + 2);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(SharedAccesses, WhatOneThreadTouchesIsLeftOut) {
  EXPECT_EQ(kept("T1 w(x); T1 r(x); T2 w(y); T1 r(x)"), Texts{});
  EXPECT_EQ(kept("T1 w(x); T1 w(y); T2 r(x)"), (Texts{"T1 write(x)", "T2 read(x)"}));
}

// However long before the second thread comes, and at its own place.
TEST(SharedAccesses, WhatWasWrittenBeforeStays) {
  EXPECT_EQ(kept("T1 w(x); T1 acq(m); T1 rel(m); T1 signal(s); T2 await(s); T2 r(x)"),
            (Texts{"T1 write(x)", "T2 read(x)"}));
}

TEST(SharedAccesses, UnsafePublicationIsStillARace) {
  const TestTrace whole = trace_of(
      "T1 w(own); T1 w(data); T1 w(data+8:8); T1 acq(m); T1 rel(m); T1 store(p,rlx);"
      "T2 load(p,rlx); T2 r(data); T2 w(mine)");
  const TestTrace part = shared_part(whole);
  EXPECT_LT(part.events.size(), whole.events.size());
  AnalysisOptions options;
  options.detectors = {"race"};
  auto pipeline = Pipeline::make(options);
  part.feed(**pipeline);
  ASSERT_EQ((*pipeline)->findings().size(), 1U);
  EXPECT_EQ((*pipeline)->findings()[0].steps[0].event.kind, EventKind::write);
}

// To use a lock in it, to access it atomically and to free it is to touch it.
TEST(SharedAccesses, OtherWaysToTouch) {
  EXPECT_EQ(kept("T1 w(x); T2 load(x,rlx)"), Texts{"T1 write(x)"});
  EXPECT_EQ(kept("T1 alloc(x,64); T1 w(x+8:8); T2 free(x,64)"), Texts{"T1 write(x+8)"});
  EXPECT_EQ(kept("T1 alloc(x,64); T1 w(x+8:8); T1 acq(x); T1 rel(x); T2 acq(x); T2 rel(x)"),
            Texts{"T1 write(x+8)"});
  EXPECT_EQ(kept("T1 alloc(x,64); T1 w(x+8:8); T1 free(x,64)"), Texts{});
}

TEST(SharedAccesses, MemoryHasLives) {
  EXPECT_EQ(kept("T1 alloc(x,64); T1 w(x); T1 free(x,64); T2 alloc(x,64); T2 w(x); T2 free(x,64)"),
            Texts{});
  // Without an event in between it is one life.
  EXPECT_EQ(kept("T1 w(x); T2 w(x)"), (Texts{"T1 write(x)", "T2 write(x)"}));
  EXPECT_EQ(kept("T1 local(x,8); T1 w(x); T1 local(x,8); T2 w(x)"), Texts{});
}

TEST(SharedAccesses, UsesOfFreedMemoryStay) {
  EXPECT_EQ(
      kept("T1 alloc(x,64); T1 w(x); T1 free(x,64); T1 r(x); T1 r(x); T1 r(x); T1 r(x)").size(),
      4U);
  EXPECT_EQ(kept("T1 alloc(x,64); T1 free(x,64); T1 alloc(x,64); T1 r(x)"), Texts{});
}

// Small blocks are shared as a whole, large ones by what is accessed together.
TEST(SharedAccesses, ObjectsAndArrays) {
  EXPECT_EQ(kept("T1 alloc(x,64); T1 w(x); T1 w(x+8:8); T2 r(x)").size(), 3U);
  EXPECT_EQ(kept("T1 alloc(x,4097); T1 w(x); T1 w(x+8:8); T2 r(x)").size(), 2U);
  EXPECT_EQ(kept("T1 alloc(x,4097); T1 w(x); T1 wr(x+4,16); T2 r(x+12:4)").size(), 2U);
}

TEST(SharedAccesses, RepeatedOnes) {
  const std::string second = "T1 local(z,8); T2 r(x)";
  EXPECT_EQ(kept("T1 r(x); T1 r(x); " + second).size(), 3U);
  TestTrace trace =
      trace_of("T1 w(o); T1 r(x); T1 r(x); T1 r(x); T1 r(x); T1 w(y); T1 r(x); " + second);
  for (Event& event : trace.events) event.step = 1;
  std::size_t accesses = 0;
  for (const Event& event : shared_part(trace).events) accesses += is_access(event.kind) ? 1 : 0;
  EXPECT_EQ(accesses, 5U);  // the first, two, the one behind the write that is gone, and T2's
  for (Site& site : trace.sites) site.flags |= kSiteVolatile;
  EXPECT_EQ(shared_part(trace).events.size(), trace.events.size() - 1);
}

// What tells a lock that was used from one that was only tried, and a barrier from a signal and a
// wait.
TEST(SharedAccesses, FirstAfterSynchronising) {
  EXPECT_EQ(kept("T1 acq(m); T1 w(x); T1 w(x); T1 rel(m)"), Texts{"T1 write(x)"});
  EXPECT_EQ(kept("T1 signal(s); T1 w(x); T1 w(y); T1 await(s)"), Texts{"T1 write(x)"});
}

}  // namespace
}  // namespace raddle
