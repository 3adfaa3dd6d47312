#include "host/report/same_finding.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

StoryStep step_at(std::uint32_t line, const char* function, EventKind kind = EventKind::read) {
  StoryStep step;
  step.kind = kind;
  step.where = {"/src/bank.cpp", line, function};
  return step;
}

// T1 checks at line 14 and acts at 15; the other thread writes at 16.
Explanation explained() {
  Explanation explanation;
  explanation.cause = Cause::kCheckThenAct;
  explanation.object = {"account.balance", "balance", {}};
  explanation.first.where = {"bank.cpp", 14, "spend"};
  explanation.middle.where = {"bank.cpp", 16, "spend"};
  explanation.last.where = {"bank.cpp", 15, "spend"};
  return explanation;
}

FindingStory told(const char* object, StoryStep one, StoryStep other) {
  FindingStory story;
  story.object = object;
  story.steps = {std::move(one), std::move(other)};
  return story;
}

TEST(SameFinding, IsAtThePlacesOfTheFailure) {
  EXPECT_TRUE(belongs_to(told("table", step_at(16, "f"), step_at(14, "g")), explained()));
  EXPECT_FALSE(belongs_to(told("table", step_at(16, "f"), step_at(30, "g")), explained()));
  EXPECT_FALSE(belongs_to(told("table", step_at(16, "f"), step_at(14, "g")), Explanation{}));
}

TEST(SameFinding, IsOfTheVariableOfTheFailureInItsFunctions) {
  const auto race = [](const char* object, const char* function) {
    return told(object, step_at(40, function), step_at(41, function));
  };
  EXPECT_TRUE(belongs_to(race("account.changes in main", "spend"), explained()));
  EXPECT_FALSE(belongs_to(race("account.changes in main", "report"), explained()));
  EXPECT_FALSE(belongs_to(race("log.lines", "spend"), explained()));
}

TEST(SameFinding, AReadThatTheCompilerMovedHasNoLine) {
  const StoryStep moved = step_at(0, "std::thread::_M_run");
  EXPECT_TRUE(belongs_to(told("account.balance", moved, step_at(15, "spend")), explained()));
  EXPECT_FALSE(belongs_to(told("log.lines", moved, step_at(15, "spend")), explained()));
}

TEST(SameFinding, WhatIsNoAccessDoesNotCount) {
  FindingStory story = told("table", step_at(16, "f"), step_at(14, "g"));
  story.steps.push_back(step_at(99, "h", EventKind::acquire));
  EXPECT_TRUE(belongs_to(story, explained()));
}

TEST(SameFinding, OneObjectUnderTwoLocksIsOneCause) {
  Explanation one = explained();
  one.lock = ExplainedLock{.name = "account.in_lock", .first = true, .last = true};
  one.lock->instead = "account.out_lock";
  Explanation other = one;
  other.cause = Cause::kUnordered;
  other.first.where = {"bank.cpp", 30, "report"};
  std::swap(other.lock->name, other.lock->instead);
  EXPECT_TRUE(says_the_same(one, other));
  other.object.name = "log.lines";
  EXPECT_FALSE(says_the_same(one, other));
  other.object.name = one.object.name;
  other.lock->instead.clear();
  EXPECT_FALSE(says_the_same(one, other));
}

TEST(SameFinding, AFaultWithoutExplanationAtAPlaceOfAnotherFault) {
  const auto fault_at = [](std::uint32_t line, std::uint64_t block) {
    Failure failure;
    failure.where = {"bank.cpp", line, "spend"};
    failure.verdict.emplace();
    failure.verdict->fault = MemoryFaultLine{.kind = MemoryFaultKind::kUseAfterFree};
    failure.verdict->fault->block = block;
    return failure;
  };
  EXPECT_TRUE(is_same_fault(fault_at(16, 40), fault_at(14, 40), explained()));
  EXPECT_FALSE(is_same_fault(fault_at(30, 40), fault_at(14, 40), explained()));
  EXPECT_FALSE(is_same_fault(fault_at(16, 40), fault_at(14, 8), explained()));
  EXPECT_FALSE(is_same_fault(fault_at(16, 40), fault_at(14, 40), Explanation{}));
}

TEST(SameFinding, OneCauseAtOnePlaceIsOne) {
  Explanation other = explained();
  EXPECT_TRUE(says_the_same(explained(), other));
  other.last.where.line = 20;
  EXPECT_FALSE(says_the_same(explained(), other));
}

// T2 frees a display at line 40; T1 uses it at `line`, in Display::show.
Explanation used_after_free(std::uint32_t line) {
  Explanation explanation;
  explanation.cause = Cause::kUseAfterFree;
  explanation.object.name = "Display #1@bank.cpp:54";
  explanation.first.thread = ThreadId{2};
  explanation.first.where = {"bank.cpp", 40, "Display::~Display"};
  explanation.first.inside = {"Display::~Display", "close"};
  explanation.last.thread = ThreadId{1};
  explanation.last.where = {"bank.cpp", line, "Display::show"};
  explanation.last.inside = {"Display::show"};
  return explanation;
}

TEST(SameFinding, AnObjectThatEndsTooEarlyIsUsedAtManyPlaces) {
  EXPECT_TRUE(says_the_same(used_after_free(29), used_after_free(44)));
  Explanation other = used_after_free(44);
  other.first.where.line = 60;  // freed by something else
  EXPECT_FALSE(says_the_same(used_after_free(29), other));
  other = used_after_free(44);
  other.object.name = "Display #2@bank.cpp:70";  // made by something else
  EXPECT_FALSE(says_the_same(used_after_free(29), other));
}

TEST(SameFinding, AnObjectIsDestroyedBeforeItIsFreed) {
  Explanation destroyed = used_after_free(44);
  destroyed.cause = Cause::kUseAfterDestruction;
  destroyed.object.name = "Display";
  EXPECT_TRUE(says_the_same(used_after_free(29), destroyed));
  destroyed.object.name = "Printer";
  destroyed.first.inside = {"Printer::~Printer"};
  destroyed.last.inside = {"Printer::show"};
  EXPECT_FALSE(says_the_same(used_after_free(29), destroyed));
}

TEST(SameFinding, APartIsFreedTwiceWhereTheWholeEndsInUse) {
  Explanation twice = used_after_free(44);
  twice.cause = Cause::kDoubleFree;
  twice.object.name = "block #2@bank.cpp:44";
  twice.first.where.line = 44;
  EXPECT_TRUE(says_the_same(used_after_free(29), twice));
  twice.last.inside = {"Printer::show"};
  EXPECT_FALSE(says_the_same(used_after_free(29), twice));
}

TEST(SameFinding, WhatIsFreedThereWasChangedBeforeThat) {
  Explanation early = used_after_free(29);
  early.cause = Cause::kReadTooEarly;
  early.object.name = "displays";
  std::swap(early.first, early.last);
  EXPECT_TRUE(says_the_same(used_after_free(29), early));
  early.first.where.line = 31;
  EXPECT_FALSE(says_the_same(used_after_free(29), early));
}

TEST(SameFinding, AMemberIsDestroyedInUseBeforeTheWholeIsFreed) {
  Explanation meanwhile = used_after_free(44);
  meanwhile.cause = Cause::kDestroyedInUse;
  meanwhile.object.name = "Display::lines_";
  EXPECT_TRUE(says_the_same(used_after_free(29), meanwhile));
  meanwhile.first.inside = {"Printer::~Printer"};
  EXPECT_FALSE(says_the_same(used_after_free(29), meanwhile));
}

// What a local variable has on the heap ends with it; another variable's has nothing to do with it.
TEST(SameFinding, WhatALocalVariableHasEndsWithIt) {
  Explanation gone;
  gone.cause = Cause::kUseAfterReturn;
  gone.object.name = "answers";
  gone.function = "query";
  Explanation freed = used_after_free(29);
  freed.object.name = "block #1@bank.cpp:29";
  freed.other.name = "answers.list";
  freed.first.inside = {"query", "main"};
  EXPECT_TRUE(says_the_same(gone, freed));
  freed.first.inside = {"other", "main"};
  EXPECT_FALSE(says_the_same(gone, freed));
  freed.first.inside = {"query", "main"};
  freed.other.name = "answered.list";
  EXPECT_FALSE(says_the_same(gone, freed));
}

// T1 holds one lock, T2 another: what else these two guard is unguarded, too.
TEST(SameFinding, IsUnderTheTwoLocksOfTheFailure) {
  Explanation explanation = explained();
  explanation.lock = ExplainedLock{.name = "box.out"};
  explanation.lock->instead = "box.in";
  StoryStep one = step_at(40, "push");
  StoryStep other = step_at(50, "pop");
  one.locks = {"box.in in main"};
  other.locks = {"box.out in main"};
  EXPECT_TRUE(belongs_to(told("queue", one, other), explanation));
  other.locks = {"box.third in main"};
  EXPECT_FALSE(belongs_to(told("queue", one, other), explanation));
}

}  // namespace
}  // namespace raddle
