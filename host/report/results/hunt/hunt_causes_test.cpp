#include "host/report/results/hunt/hunt_causes.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

HuntFailure failure(const char* object, std::uint32_t line) {
  HuntFailure one;
  Explanation& explanation = one.group.explanation;
  explanation.cause = Cause::kLostUpdate;
  explanation.object.name = object;
  explanation.first.where = explanation.last.where = {"count.cpp", line, "count"};
  return one;
}

const NativeRun kNative;

// Two assertions that fail by one lost update are one finding; by two, two.
TEST(HuntCauses, FailuresWithOneExplanationAreOne) {
  HuntResult result;
  result.failures.push_back(failure("stats.requests", 7));
  result.failures.push_back(failure("stats.failures", 9));
  result.failures.push_back(failure("stats.requests", 7));
  EXPECT_EQ(first_of_cause(result), (std::vector<std::size_t>{0, 1, 0}));
  EXPECT_EQ(failing_causes({.native = kNative, .result = result}), 2U);
}

// That nobody runs for a second is rare; that nobody does for 50 ms is not.
TEST(HuntCauses, WhatIsRareCountsOnRequest) {
  HuntResult result;
  result.failures.push_back(failure("server.answer", 7));
  result.failures.back().needs = {.early_timeouts = 1, .early_time = 2'000'000'000};
  result.failures.push_back(failure("table", 9));
  result.failures.back().needs = {.early_timeouts = 1, .early_time = 50'000'000};
  EXPECT_EQ(failing_causes({.native = kNative, .result = result}), 1U);
  EXPECT_EQ(failing_causes({.strict = true, .native = kNative, .result = result}), 2U);
}

TEST(HuntCauses, WhatNobodyExplainsIsOnItsOwn) {
  HuntResult result;
  result.failures.resize(2);
  EXPECT_EQ(first_of_cause(result), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(failing_causes({.native = kNative, .result = result}), 2U);
}

HuntFinding race(const char* object, const char* pointer) {
  HuntFinding one;
  one.level = FindingLevel::kConfirmed;
  one.story.kind = FindingKind::race;
  one.story.object = object;
  if (pointer != nullptr) one.story.published.resize(2);
  for (StoryStep& step : one.story.published) step.object = pointer;
  return one;
}

// The race on the pointer itself is the cause, wherever it stands.
TEST(HuntCauses, WhatAPointerLeadsToIsPartOfTheRaceOnIt) {
  HuntResult result;
  result.candidates.push_back(race("node", "Catalogue::only_"));
  result.candidates.push_back(race("hops", "router.current_"));
  result.candidates.push_back(race("Catalogue::only_", nullptr));
  result.candidates.push_back(race("version", "router.current_"));
  result.candidates.push_back(race("total", nullptr));
  const PartOf none;
  EXPECT_EQ(parts_of({.native = kNative, .result = result}),
            (std::vector<PartOf>{
                {PartOf::Kind::kCandidate, 2}, none, none, {PartOf::Kind::kCandidate, 1}, none}));
}

}  // namespace
}  // namespace raddle
