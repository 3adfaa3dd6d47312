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

HuntFinding race_under(const char* object, const char* lock, const char* function) {
  HuntFinding one = race(object, nullptr);
  for (const EventKind kind : {EventKind::write, EventKind::read}) {
    StoryStep step;
    step.kind = kind;
    step.where.function = function;
    step.locks = {lock};
    one.story.steps.push_back(step);
  }
  return one;
}

// Who writes with a lock for reading writes many things; a lock for writing orders the two.
TEST(HuntCauses, WhatIsWrittenUnderALockForReadingIsOne) {
  HuntResult result;
  result.candidates.push_back(race_under("node", "cache.mutex (shared)", "Cache::get"));
  result.candidates.push_back(race_under("list", "cache.mutex (shared)", "Cache::get"));
  result.candidates.push_back(race_under("hits", "cache.mutex (shared)", "Cache::count"));
  result.candidates.push_back(race_under("size", "cache.mutex", "Cache::get"));
  const PartOf none;
  EXPECT_EQ(parts_of({.native = kNative, .result = result}),
            (std::vector<PartOf>{none, {PartOf::Kind::kCandidate, 0}, none, none}));
}

// What is misused in executions that pass, and makes others fail, is told once.
TEST(HuntCauses, AMisuseIsOfTheFailureOfItsCause) {
  HuntResult result;
  result.failures.push_back(failure("stats.requests", 7));
  result.misuses.resize(3);
  result.misuses[0].explanation = failure("call.done", 9).group.explanation;
  result.misuses[1].explanation = failure("stats.requests", 7).group.explanation;
  EXPECT_EQ(failures_of_misuses(result),
            (std::vector<std::optional<std::size_t>>{std::nullopt, 0, std::nullopt}));
}

}  // namespace
}  // namespace raddle
