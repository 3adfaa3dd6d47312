// Which atomic variable would have ordered a race, against the definition: with release and acquire
// there, the two accesses are ordered.
#include "host/analysis/race/announcement.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/race/race.hpp"
#include "host/analysis/testing/order_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

struct Fed {
  std::unique_ptr<Pipeline> pipeline = std::make_unique<Pipeline>(AnalysisOptions{});
  const Announcements* announcements = nullptr;
  std::vector<RaceDetector::Race> races;
};

std::unique_ptr<Fed> feed(const TestTrace& trace) {
  auto fed = std::make_unique<Fed>();
  std::vector<std::uint64_t> places;
  for (const Site& site : trace.sites) places.push_back(site.stable);
  auto detector = std::make_unique<Announcements>(fed->pipeline->state(), places);
  fed->announcements = detector.get();
  fed->pipeline->add(std::move(detector));
  auto race = std::make_unique<RaceDetector>(fed->pipeline->state());
  race->all_races = &fed->races;
  fed->pipeline->add(std::move(race));
  trace.feed(*fed->pipeline);
  return fed;
}

std::vector<FindingStep> said(const Fed& fed, const RaceDetector::Race& race) {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.steps.resize(2);
  finding.steps[0].event = race.earlier;
  finding.steps[1].event = race.later;
  return fed.announcements->of(finding);
}

// Of the only race of an execution.
std::vector<FindingStep> of_race(const std::string& text) {
  const TestTrace trace = trace_of(text);
  const std::unique_ptr<Fed> fed = feed(trace);
  EXPECT_EQ(fed->races.size(), 1U) << text;
  return fed->races.empty() ? std::vector<FindingStep>() : said(*fed, fed->races.front());
}

TEST(Announcements, AFlagThatOrdersNothing) {
  const auto steps = of_race("T1 w(x); T1 store(f,rlx); T2 load(f,rlx); T2 r(x)");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].event.kind, EventKind::atomic_store);
  EXPECT_EQ(steps[1].event.kind, EventKind::atomic_load);
  EXPECT_EQ(of_race("T1 w(x); T1 store(f,rel); T2 load(f,rlx); T2 r(x)").size(), 2U);
  EXPECT_EQ(of_race("T1 w(x); T1 store(f,rlx); T2 load(f,acq); T2 r(x)").size(), 2U);
  EXPECT_EQ(of_race("T1 r(x); T1 store(f,rlx); T2 load(f,rlx); T2 w(x)").size(), 2U);
}

TEST(Announcements, OnlyWhatLiesBetweenTheTwo) {
  EXPECT_TRUE(of_race("T1 store(f,rlx); T1 w(x); T2 load(f,rlx); T2 r(x)").empty());
  EXPECT_TRUE(of_race("T1 w(x); T2 load(f,rlx); T1 store(f,rlx); T2 r(x)").empty());
  EXPECT_TRUE(of_race("T1 w(x); T1 store(f,rlx); T2 r(x); T2 load(f,rlx)").empty());
  EXPECT_TRUE(of_race("T1 w(x); T1 store(f,rlx); T3 store(f,rlx); T2 load(f,rlx); T2 r(x)").empty())
      << "T2 reads what T3 wrote";
}

TEST(Announcements, StatisticsAreNone) {
  EXPECT_TRUE(of_race("T1 w(x); T1 count(n,rlx); T2 count(n,rlx); T2 r(x)").empty());
}

TEST(Announcements, ReferencesAreCounted) {
  EXPECT_EQ(of_race("T1 alloc(x,8); T1 w(x); T1 count(n,rlx); T2 count(n,rlx); T2 free(x)").size(),
            2U);
}

// Whatever is named would have ordered them.
TEST(Announcements, WithReleaseAndAcquireTheyAreOrdered) {
  RandomExecution options;
  options.atomics = options.own_sites = options.memory = true;
  options.variables = 8;
  options.threads = 2;
  options.events = 60;
  std::uint64_t named = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
    options.flags = seed % 2 == 0;
    options.parts = !options.flags;
    const TestTrace trace = random_execution(seed, options);
    const std::unique_ptr<Fed> fed = feed(trace);
    for (const RaceDetector::Race& race : fed->races) {
      const std::vector<FindingStep> steps = said(*fed, race);
      if (steps.empty()) continue;
      ++named;
      std::vector<Event> events = trace.events;  // steps are their places
      for (const FindingStep& step : steps) {
        std::uint8_t& flags = events[step.event.step].flags;
        flags = static_cast<std::uint8_t>((flags & ~kOrderMask) | unsigned(MemoryOrder::kAcqRel));
      }
      EXPECT_FALSE(OrderOracle(trace.events).before(race.earlier.step, race.later.step));
      EXPECT_TRUE(OrderOracle(events).before(race.earlier.step, race.later.step))
          << "seed " << seed << ": " << race.earlier.step << " and " << race.later.step << " by "
          << steps[0].event.step << " and " << steps[1].event.step << "\n"
          << describe(trace);
    }
  }
  EXPECT_GE(named, traces / 50);
}

}  // namespace
}  // namespace raddle
