#include "host/campaign/minimize/finding_criterion.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/analysis/testing/trace_builder.hpp"
#include "host/campaign/confirm/confirm.hpp"

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

std::string group_of(const KeptTrace& trace, const char* which) {
  std::string group = "confirmed | atomicity";
  for (const Event& event : trace.all()) {
    if (event.kind == EventKind::acquire) group += " | " + std::to_string(event.step);
  }
  return group + which;
}

// Steps are below 10, the same in hexadecimal.
TEST(ConfirmedStory, OfAViolationIsNamedByItsSteps) {
  const KeptTrace trace = kept("T0 acq(m); T0 rel(m); T1 acq(m); T1 rel(m); T0 acq(m); T0 rel(m)");
  const auto story = confirmed_story(group_of(trace, ""), Plan{}, trace);
  ASSERT_TRUE(story.has_value());
  EXPECT_EQ(story->kind, FindingKind::atomicity);
  EXPECT_EQ(story->level, FindingLevel::kConfirmed);
  EXPECT_EQ(story->steps.size(), 3U);
  EXPECT_FALSE(confirmed_story(group_of(trace, " | 4"), Plan{}, trace).has_value());
}

TEST(ConfirmedStory, NothingForWhatTheExecutionDoesNotShow) {
  const KeptTrace trace = kept("T0 acq(m); T0 rel(m); T0 acq(m); T0 rel(m); T1 acq(m); T1 rel(m)");
  EXPECT_FALSE(confirmed_story(group_of(trace, ""), Plan{}, trace).has_value());
  for (const char* group :
       {"", "confirmed", "confirmed | ", "confirmed | atomicity", "confirmed | atomicity | ",
        "confirmed | atomicity | 1 | 2 | x", "confirmed | atomicity | 1 | 2 | -3",
        "confirmed | atomicity | ffffffffffffffffff | 1 | 2", "confirmed | race | 1",
        "confirmed | race | 1 | ff", "confirmed | race | 0 | 0 | 0", "assertion | main"}) {
    EXPECT_FALSE(confirmed_story(group, Plan{}, trace).has_value()) << group;
    EXPECT_FALSE(confirmed_story(group, Plan{}, KeptTrace{}).has_value()) << group;
  }
}

}  // namespace
}  // namespace raddle
