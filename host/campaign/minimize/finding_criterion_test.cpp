#include "host/campaign/minimize/finding_criterion.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

// Each operation is a step of its own.
KeptTrace kept(const std::string& text) {
  TestTrace trace = trace_of(text);
  for (std::size_t i = 0; i < trace.events.size(); ++i) trace.events[i].step = i;
  KeptTrace kept;
  trace.feed(kept);
  return kept;
}

std::vector<Step> acquisitions(const KeptTrace& trace) {
  std::vector<Step> steps;
  for (const Event& event : trace.all()) {
    if (event.kind == EventKind::acquire) steps.push_back(Step{event.step});
  }
  return steps;
}

TEST(ConfirmedStory, OfAViolationIsNamedByItsSteps) {
  const KeptTrace trace = kept("T0 acq(m); T0 rel(m); T1 acq(m); T1 rel(m); T0 acq(m); T0 rel(m)");
  const ConfirmedGroup group{.what = Confirms::kAtomicity, .steps = acquisitions(trace)};
  const auto seen = confirmed_by_trace(group, Plan{}, trace);
  ASSERT_TRUE(seen.has_value());
  const FindingStory* story = &seen->story;
  EXPECT_EQ(story->kind, FindingKind::atomicity);
  EXPECT_EQ(story->level, FindingLevel::kSeen);  // nobody annotated the block
  EXPECT_EQ(story->steps.size(), 3U);
}

TEST(ConfirmedStory, NothingForWhatTheExecutionDoesNotShow) {
  const KeptTrace trace = kept("T0 acq(m); T0 rel(m); T0 acq(m); T0 rel(m); T1 acq(m); T1 rel(m)");
  const ConfirmedGroup violation{.what = Confirms::kAtomicity, .steps = acquisitions(trace)};
  const ConfirmedGroup race{.what = Confirms::kRaces, .place = 1, .places = {0}};
  const ConfirmedGroup many{.what = Confirms::kAtomicity, .steps = std::vector<Step>(100)};
  for (const ConfirmedGroup& group : {violation, race, many, ConfirmedGroup{}}) {
    EXPECT_FALSE(confirmed_by_trace(group, Plan{}, trace).has_value());
    EXPECT_FALSE(confirmed_by_trace(group, Plan{}, KeptTrace{}).has_value());
  }
}

TEST(SoughtIn, AViolationIsOfOneExecution) {
  EXPECT_FALSE(sought_in({.what = Confirms::kAtomicity, .steps = {Step{1}, Step{2}, Step{3}}}));
  const std::optional<SoughtFinding> sought =
      sought_in({.what = Confirms::kAtomicSets, .place = 7, .pattern = 3, .places = {1, 2}});
  ASSERT_TRUE(sought.has_value());
  EXPECT_EQ(sought->kind, FindingKind::atomic_set);
  EXPECT_EQ(sought->place, 7U);
  EXPECT_EQ(sought->pattern, 3);
}

}  // namespace
}  // namespace raddle
