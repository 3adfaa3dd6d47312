// FastTrack against the definition: every pair of conflicting accesses to a byte looked at.
#include <gtest/gtest.h>

#include <set>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/race/race.hpp"
#include "host/analysis/testing/race_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

void compare(std::uint64_t seed, const RandomExecution& options, std::uint64_t& racy) {
  const TestTrace trace = random_execution(seed, options);
  Pipeline pipeline{AnalysisOptions{}};
  auto detector = std::make_unique<RaceDetector>(pipeline.state());
  std::vector<RaceDetector::Race> races;
  detector->all_races = &races;
  pipeline.add(std::move(detector));
  trace.feed(pipeline);
  ASSERT_TRUE(pipeline.problems().empty()) << pipeline.problems()[0] << "\n" << describe(trace);

  const RaceOracle oracle(trace.events);
  std::set<std::pair<std::uint64_t, std::size_t>> found;
  for (const RaceDetector::Race& race : races) {
    // Steps are the events' places in these traces.
    for (std::uint64_t byte = race.address; byte < race.address + race.bytes; ++byte) {
      const std::size_t i = race.earlier.step, j = race.later.step;
      ASSERT_LT(i, j);
      if (!oracle.touches(trace.events[j], byte)) continue;
      found.insert({byte, j});
      EXPECT_TRUE(oracle.race(i, j, byte))
          << "seed " << seed << ": no race of " << i << " and " << j << "\n"
          << describe(trace);
      EXPECT_EQ(trace.events[i].kind, race.earlier.kind);
      EXPECT_EQ(trace.events[i].site, race.earlier.site);
    }
  }
  EXPECT_EQ(found, oracle.first_races()) << "seed " << seed << "\n" << describe(trace);
  EXPECT_EQ(pipeline.findings().empty(), races.empty());
  racy += races.empty() ? 0 : 1;
}

void compare_many(const RandomExecution& options) {
  std::uint64_t racy = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed)
    compare(seed, options, racy);
  // The oracle must have something to say: neither almost never nor almost always.
  EXPECT_GT(racy, traces / 50);
  EXPECT_LT(racy, traces - traces / 50);
}

TEST(RaceOracleTest, WholeVariablesAndLocks) { compare_many({}); }

TEST(RaceOracleTest, EverythingAtOnce) {
  RandomExecution options;
  options.parts = options.atomics = options.waits = options.blocks = options.memory = true;
  compare_many(options);
  options.allocating = true;
  options.events = 50;
  compare_many(options);
}

TEST(RaceOracleTest, Flags) {
  RandomExecution options;
  options.atomics = options.flags = true;
  options.variables = 8;
  options.threads = 3;
  options.events = 30;
  compare_many(options);
}

// Slots of joined threads are used again.
TEST(RaceOracleTest, ShortThreads) {
  RandomExecution options;
  options.brief = true;
  options.threads = 10;
  options.events = 60;
  compare_many(options);
  options.atomics = true;
  compare_many(options);
}

TEST(RaceOracleTest, ReadersAndWriters) {
  RandomExecution options;
  options.locking = true;
  options.locks = 1;
  options.events = 40;
  compare_many(options);
}

}  // namespace
}  // namespace raddle
