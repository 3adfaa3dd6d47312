#include "host/analysis/lifetime/lifetime.hpp"

#include <map>
#include <set>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/shadow/extent.hpp"
#include "host/analysis/testing/findings_of.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

std::size_t uses(std::string_view text) { return count("lifetime", text); }

TEST(Lifetime, WhoFreedAndWhoUses) {
  const Checked checked = check("lifetime", "T1 alloc(x,8); T1 w(x)@1; T1 free(x)@2; T2 r(x)@3");
  ASSERT_EQ(checked.findings().size(), 1U);
  const Finding& found = checked.findings()[0];
  EXPECT_EQ(found.kind, FindingKind::use_after_free);
  EXPECT_EQ(found.level, FindingLevel::kConfirmed);
  EXPECT_EQ(found.steps[0].role, FindingRole::frees);
  EXPECT_EQ(found.steps[0].event.thread, ThreadId{1});
  EXPECT_EQ(found.steps[1].role, FindingRole::reads);
  EXPECT_EQ(found.steps[1].event.thread, ThreadId{2});
  EXPECT_NE(found.what.find("after T1 freed it"), std::string::npos) << found.what;
}

// That something orders the two makes it no better.
TEST(Lifetime, InWhateverOrder) {
  EXPECT_EQ(uses("T1 alloc(x,8); T1 free(x); T1 w(x)"), 1U);
  EXPECT_EQ(uses("T1 alloc(x,8); T1 acq(m); T1 free(x); T1 rel(m);"
                 "T2 acq(m); T2 r(x); T2 rel(m)"),
            1U);
  EXPECT_EQ(uses("T1 alloc(x,8); T1 free(x); T2 load(x,acq)"), 1U);
  EXPECT_EQ(uses("T1 alloc(x,8); T1 free(x); T2 rr(x,64)"), 1U);
  EXPECT_EQ(uses("T2 w(x); T1 alloc(x,8); T2 r(x); T1 free(x)"), 0U);
}

TEST(Lifetime, MemoryThatIsUsedAgainIsAnother) {
  EXPECT_EQ(uses("T1 alloc(x,8); T1 free(x); T2 alloc(x,8); T2 w(x)"), 0U);
  EXPECT_EQ(uses("T1 alloc(x,64); T1 free(x); T2 alloc(x,8); T2 w(x+40:8)"), 1U);
  // The allocator gives more than was asked for.
  EXPECT_EQ(uses("T1 alloc(x,64); T1 free(x); T2 alloc(x,20); T2 w(x+20:4)"), 0U);
  EXPECT_EQ(uses("T1 alloc(x,64); T1 free(x); T2 local(x,8); T2 w(x)"), 0U);
}

TEST(Lifetime, FreedTwice) {
  EXPECT_EQ(uses("T1 alloc(x+16,8); T1 free(x+16); T2 free(x+16)"), 1U);
  EXPECT_EQ(uses("T1 alloc(x+16,8); T1 free(x+16); T2 alloc(x+16,8); T2 free(x+16)"), 0U);
}

TEST(Lifetime, BlocksFromBeforeItWasWatched) {
  EXPECT_EQ(uses("T1 w(x+16:8); T1 free(x+16); T2 r(x+16:8)"), 1U);
}

// None that the system gets back is watched.
TEST(Lifetime, WhatTheSystemMayHandOutAgain) {
  TestTrace trace = trace_of("T1 w(x); T1 free(x); T2 r(x)");
  for (Event& event : trace.events)
    if (event.object != 0) event.object = 0x7000;
  Pipeline pipeline{AnalysisOptions{}};
  pipeline.add(make_lifetime_detector(pipeline.state(), AnalysisOptions{}));
  trace.feed(pipeline);
  EXPECT_TRUE(pipeline.findings().empty()) << "unmapped";
  EXPECT_EQ(uses("T1 alloc(x,65536); T1 free(x); T2 r(x)"), 0U);
  EXPECT_EQ(uses("T1 alloc(x,65535); T1 free(x); T2 r(x)"), 1U);
}

// Byte by byte: freed by whom, since it was last allocated.
std::set<std::pair<std::uint64_t, std::uint64_t>> by_definition(const std::vector<Event>& events) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> found;
  std::map<std::uint64_t, std::uint64_t> blocks;
  std::map<std::uint64_t, std::uint64_t> freed;  // by byte: the step
  for (const Event& event : events) {
    if (event.kind == EventKind::allocate) {
      blocks[event.object] = event.value;
      const std::uint64_t all = std::max<std::uint64_t>(24, (event.value + 23) / 16 * 16 - 8) + 16;
      for (std::uint64_t i = 0; i < all; ++i) freed.erase(event.object + i);
    } else if (event.kind == EventKind::free) {
      const bool known = blocks.count(event.object) != 0;
      const std::uint64_t bytes = known ? blocks[event.object] : event.value;
      const bool unmapped = !known && event.object % 4096 == 0;
      for (std::uint64_t i = 0; i < bytes; ++i) {
        freed.erase(event.object + i);
        if (!unmapped) freed[event.object + i] = event.step;
      }
      blocks.erase(event.object);
    } else if (is_access(event.kind) || is_atomic(event.kind)) {
      const Extent extent = extent_of(event);
      for (std::uint64_t i = 0; i < extent.bytes; ++i) {
        const auto at = freed.find(extent.address + i);
        if (at == freed.end()) continue;
        found.insert({at->second, event.step});
        break;
      }
    }
  }
  return found;
}

TEST(LifetimeOracle, AgreesWithTheDefinition) {
  RandomExecution options;
  options.parts = options.atomics = options.memory = options.allocating = true;
  options.variables = 6;
  options.events = 60;
  std::uint64_t with = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
    const TestTrace trace = random_execution(seed, options);
    Pipeline pipeline{AnalysisOptions{}};
    auto detector = std::make_unique<LifetimeDetector>(pipeline.state());
    std::vector<LifetimeDetector::Use> uses;
    detector->all_uses = &uses;
    pipeline.add(std::move(detector));
    trace.feed(pipeline);
    std::set<std::pair<std::uint64_t, std::uint64_t>> found;
    for (const LifetimeDetector::Use& use : uses) found.insert({use.freed, use.used});
    EXPECT_EQ(found, by_definition(trace.events)) << "seed " << seed << "\n" << describe(trace);
    with += found.empty() ? 0 : 1;
  }
  // The oracle must have something to say.
  EXPECT_GT(with, traces / 20);
  EXPECT_LT(with, traces - traces / 20);
}

}  // namespace
}  // namespace raddle
