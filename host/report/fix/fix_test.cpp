#include "host/report/fix/fix.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

using Names = std::vector<std::string>;

Explanation interference(Names first, Names middle, Names last, std::string function = "") {
  Explanation explanation;
  explanation.cause = Cause::kLostUpdate;
  explanation.first.inside = std::move(first);
  explanation.middle.inside = std::move(middle);
  explanation.last.inside = std::move(last);
  explanation.function = std::move(function);
  return explanation;
}

TEST(Fix, TheFunctionsOfBothThreadsExcludeEachOther) {
  const Fix fix = fix_of(interference({"Account::transfer", "main::{lambda#1}"},
                                      {"Account::deposit", "main::{lambda#2}"},
                                      {"Account::transfer", "main::{lambda#1}"}));
  EXPECT_EQ(fix.kind, FixKind::kExclusion);
  EXPECT_EQ(fix.functions, Names({"Account::transfer", "Account::deposit"}));
  EXPECT_FALSE(fix.widened);
  EXPECT_EQ(property_name(fix), "OneAtATime_transfer_deposit");
}

TEST(Fix, PropertyOfAnExclusion) {
  const Fix fix = fix_of(interference({"A::f"}, {"A::g"}, {"A::f"}));
  EXPECT_EQ(
      property_text(fix, {}),
      "namespace {\n"
      "thread_local unsigned depth_OneAtATime_f_g = 0;  // of these functions that the thread "
      "is in\n"
      "}\n\n"
      "enforce OneAtATime_f_g() {\n"
      "  // Who is inside may enter again. A condition without variables of the property is "
      "asked\n"
      "  // once for each event, before the thread waits.\n"
      "  event enter before() : (execution(* A::f(..))\n"
      "        || execution(* A::g(..)))\n"
      "      && condition(depth_OneAtATime_f_g++ == 0) {}\n"
      "  event leave after() : (execution(* A::f(..))\n"
      "        || execution(* A::g(..)))\n"
      "      && condition(--depth_OneAtATime_f_g == 0) {}\n\n"
      "  fsm : free [ enter -> busy ]\n"
      "        busy [ leave -> free ]\n"
      "  @nonfail {}\n"
      "}\n");
}

TEST(Fix, TheDisturbedThreadWasInOneFunctionAllTheTime) {
  const Names get = {"Account::get", "Account::add", "work"};
  const Names set = {"Account::set", "Account::add", "work"};
  EXPECT_EQ(fix_of(interference(get, set, set)).functions, Names({"Account::add", "Account::set"}));
  // Two calls of the same function: what encloses both is known from the events.
  EXPECT_EQ(fix_of(interference(get, set, get, "work")).functions, Names({"work", "Account::set"}));
}

TEST(Fix, OneFunctionIsNamedOnce) {
  const Names add = {"(anonymous namespace)::add", "main::{lambda#1}"};
  const Fix fix = fix_of(interference(add, add, add));
  EXPECT_EQ(fix.functions, Names({"add"}));
}

TEST(Fix, WhatCannotBeNamedIsEnclosedByWhatCan) {
  const Fix fix =
      fix_of(interference({"run::{lambda#1}", "run"}, {"stop"}, {"run::{lambda#1}", "run"}));
  EXPECT_EQ(fix.functions, Names({"run", "stop"}));
  EXPECT_TRUE(fix.widened);
  const Names only = {"main::{lambda#1}", "main"};
  const Fix nothing = fix_of(interference(only, {"stop"}, only));
  EXPECT_EQ(nothing.kind, FixKind::kNone);
  EXPECT_NE(nothing.why_not.find("main::{lambda#1}"), std::string::npos) << nothing.why_not;
  EXPECT_EQ(fix_of(interference({}, {}, {})).kind, FixKind::kNone);
}

TEST(Fix, TemplatesAreNamedWithoutTheirArguments) {
  const Names each = {"List<int>::each<add::{lambda#1}>", "add"};
  const Fix fix = fix_of(interference(each, {"List<int>::operator<<"}, each));
  EXPECT_EQ(fix.functions, Names({"List::each", "List::operator<<"}));
  EXPECT_FALSE(fix.widened);
}

TEST(Fix, ThreadsOfACycleOfLocks) {
  Explanation explanation;
  explanation.cause = Cause::kLockCycle;
  explanation.between_locks = {{"Bank::move", "work"}, {"Bank::audit"}, {"Bank::move", "other"}};
  EXPECT_EQ(fix_of(explanation).functions, Names({"Bank::move", "Bank::audit"}));
}

TEST(Fix, UseWaitsForInitialisation) {
  Explanation explanation;
  explanation.cause = Cause::kUsedBeforeInit;
  explanation.first.inside = {"Config::port", "serve"};
  explanation.last.inside = {"Config::load", "main"};
  const Fix fix = fix_of(explanation);
  EXPECT_EQ(fix.kind, FixKind::kOrder);
  EXPECT_EQ(property_text(fix, {"why"}),
            "// why\n"
            "enforce InOrder_load_port() {\n"
            "  event init after() : execution(* Config::load(..)) {}\n"
            "  event use before() : execution(* Config::port(..)) {}\n\n"
            "  fsm : early [ init -> ready ]\n"
            "        ready [ init -> ready, use -> ready ]\n"
            "  @nonfail {}\n"
            "}\n");
  explanation.last.inside = {"main"};
  EXPECT_EQ(fix_of(explanation).kind, FixKind::kNone) << "main ends after its threads";
}

TEST(Fix, WhatNoOrderPrevents) {
  Explanation explanation;
  explanation.cause = Cause::kSelfDeadlock;
  EXPECT_EQ(fix_of(explanation).kind, FixKind::kNone);
  EXPECT_EQ(fix_of(Explanation{}).kind, FixKind::kNone);
}

TEST(Fix, OfAConfirmedFinding) {
  FindingStory story;
  story.kind = FindingKind::atomicity;
  const auto step = [&](std::uint16_t thread, const Names& functions) {
    StoryStep one;
    one.thread = ThreadId{thread};
    for (const std::string& function : functions) one.stack.push_back({"a.cpp", 1, function});
    story.steps.push_back(one);
  };
  step(1, {"List::size", "List::grow", "work"});
  step(2, {"List::clear", "work"});
  step(1, {"List::push", "List::grow", "work"});
  EXPECT_EQ(fix_of(story).functions, Names({"List::grow", "List::clear"}));
  story.kind = FindingKind::race;
  EXPECT_EQ(fix_of(story).kind, FixKind::kNone);
}

TEST(Fix, FindingsOfOneKindShareAProperty) {
  Fix fix = fix_of(interference({"a"}, {"b"}, {"a"}));
  EXPECT_TRUE(merge(fix, fix_of(interference({"a"}, {"c"}, {"a"}))));
  EXPECT_EQ(fix.functions, Names({"a", "b", "c"}));
  Fix order;
  order.kind = FixKind::kOrder;
  EXPECT_FALSE(merge(fix, order));
}

}  // namespace
}  // namespace raddle
