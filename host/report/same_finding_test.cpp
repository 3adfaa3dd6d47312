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

TEST(SameFinding, OneCauseAtOnePlaceIsOne) {
  Explanation other = explained();
  EXPECT_TRUE(says_the_same(explained(), other));
  other.last.where.line = 20;
  EXPECT_FALSE(says_the_same(explained(), other));
}

}  // namespace
}  // namespace raddle
