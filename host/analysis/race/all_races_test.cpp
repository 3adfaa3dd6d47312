// All pairs of places that race, against the definition: every pair of events looked at.
#include "host/analysis/race/all_races.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/race_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

using Pairs = std::set<std::pair<SiteId, SiteId>>;

struct Seen {
  Pairs pairs;
  std::set<SiteId> plain;
  bool cut = false;
};

Seen seen_in(const TestTrace& trace, std::size_t at_most = std::size_t{1} << 22) {
  Pipeline pipeline{AnalysisOptions{}};
  auto detector = std::make_unique<AllRaces>(pipeline.state(), at_most);
  const AllRaces& places = *detector;
  pipeline.add(std::move(detector));
  trace.feed(pipeline);
  EXPECT_TRUE(pipeline.problems().empty()) << pipeline.problems()[0] << "\n" << describe(trace);
  return {places.pairs(), places.plain(), places.cut()};
}

void compare(std::uint64_t seed, const RandomExecution& options, std::uint64_t& racy) {
  const TestTrace trace = random_execution(seed, options);
  Seen expected;
  for (const auto& [i, j] : RaceOracle(trace.events, true).all_races()) {
    expected.pairs.insert(std::minmax(trace.events[i].site, trace.events[j].site));
    for (const Event& event : {trace.events[i], trace.events[j]})
      if (!is_atomic(event.kind)) expected.plain.insert(event.site);
  }
  const Seen seen = seen_in(trace);
  EXPECT_EQ(seen.pairs, expected.pairs) << "seed " << seed << "\n" << describe(trace);
  EXPECT_EQ(seen.plain, expected.plain) << "seed " << seed << "\n" << describe(trace);
  EXPECT_FALSE(seen.cut);
  racy += expected.pairs.empty() ? 0 : 1;
}

void compare_many(RandomExecution options) {
  for (const bool own_sites : {false, true}) {
    options.own_sites = own_sites;
    std::uint64_t racy = 0;
    const auto traces = static_cast<std::uint64_t>(oracle_traces());
    for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed)
      compare(seed, options, racy);
    // The oracle must have something to say.
    EXPECT_GT(racy, traces / 50);
  }
}

TEST(AllRacesOracleTest, WholeVariablesAndLocks) { compare_many({}); }

TEST(AllRacesOracleTest, EverythingAtOnce) {
  RandomExecution options;
  options.parts = options.atomics = options.waits = options.blocks = options.memory = true;
  compare_many(options);
  options.allocating = true;
  options.events = 50;
  compare_many(options);
}

// Slots of joined threads are used again.
TEST(AllRacesOracleTest, ShortThreads) {
  RandomExecution options;
  options.brief = true;
  options.threads = 10;
  options.events = 60;
  compare_many(options);
}

// A location that has raced is looked at further: the second flag of two, and the second place.
TEST(AllRacesTest, TheFirstRaceIsNotTheLast) {
  const TestTrace trace = trace_of("T1 w(x)@1; T2 r(x)@2; T2 w(x)@3; T1 r(x)@4");
  EXPECT_EQ(seen_in(trace).pairs.size(), 3U);  // 1 and 2, 1 and 3, 3 and 4
}

// A block from before the trace may be the program's own. One that code without hooks allocated is
// not, and to free it is no write.
TEST(AllRacesTest, BlocksThatAreOlderThanTheTrace) {
  for (const char* text : {"T1 r(x)@1; T2 free(x)@2", "T2 free(x)@2; T1 r(x)@1"}) {
    TestTrace trace = trace_of(text);
    for (Event& event : trace.events)
      if (event.kind == EventKind::free) event.value = 8;
    EXPECT_EQ(seen_in(trace).plain.size(), 2U) << text;
  }
  TestTrace trace = trace_of("T1 alloc(x,8)@3; T1 r(x)@1; T2 free(x)@2");
  EXPECT_EQ(seen_in(trace).plain.size(), 2U);
  for (const Event& event : trace.events)
    if (event.kind == EventKind::allocate) trace.sites[raw(event.site) - 1].frames.clear();
  EXPECT_TRUE(seen_in(trace).plain.empty());
}

// Beyond its bound it forgets, and says so; it never makes a pair up.
TEST(AllRacesTest, WhatIsForgottenIsSaid) {
  RandomExecution options;
  options.own_sites = true;
  options.events = 60;
  const TestTrace trace = random_execution(3, options);
  const Seen all = seen_in(trace), few = seen_in(trace, 2);
  EXPECT_FALSE(all.cut);
  EXPECT_TRUE(few.cut);
  for (const auto& pair : few.pairs) EXPECT_TRUE(all.pairs.contains(pair));
}

}  // namespace
}  // namespace raddle
