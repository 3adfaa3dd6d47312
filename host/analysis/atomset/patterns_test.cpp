#include "host/analysis/atomset/patterns.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/analysis/atomset/testing/atomset_testing.hpp"

namespace raddle {
namespace {

// The pattern as two member functions of one object; `restart` ends and begins again the function
// that makes the i-th access, right before it; `elsewhere` makes the i-th access go to another
// object.
std::string execution(const Pattern& pattern, int restart = -1, int elsewhere = -1) {
  std::string text = kRunning + "T1 method(f,o); T2 method(g,o);";
  for (int i = 0; i < pattern.length; ++i) {
    const PatternAccess& access = pattern.accesses[static_cast<std::size_t>(i)];
    const std::string thread = access.other ? "T2 " : "T1 ";
    if (i == restart)
      text += thread + "exit;" + thread + (access.other ? "method(g,o);" : "method(f,o);");
    text += thread + (access.write ? "w(" : "r(") + (i == elsewhere ? "p" : "o") +
            (access.second ? ".y)" : ".x)") + ";";
  }
  return text + "T1 exit; T2 exit";
}

class EachPattern : public testing::TestWithParam<int> {
 protected:
  const Pattern& pattern() const { return patterns()[static_cast<std::size_t>(GetParam() - 1)]; }
};

TEST_P(EachPattern, IsFoundAndNothingElse) {
  const AtomicSetOutcome outcome = run_atomset(execution(pattern()));
  EXPECT_EQ(outcome.patterns, std::set<int>{GetParam()});
  ASSERT_EQ(outcome.findings.size(), 1U);
  const Finding& finding = outcome.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::atomic_set);
  EXPECT_EQ(finding.pattern, GetParam());
  EXPECT_EQ(finding.object, "o");
  EXPECT_EQ(finding.why, pattern().why);
  // Both units, then the accesses.
  ASSERT_EQ(finding.steps.size(), 2U + static_cast<std::size_t>(pattern().length));
  for (int i = 0; i < pattern().length; ++i) {
    const PatternAccess& access = pattern().accesses[static_cast<std::size_t>(i)];
    const FindingStep& step = finding.steps[static_cast<std::size_t>(i) + 2];
    EXPECT_EQ(raw(step.event.thread), access.other ? 2 : 1);
    EXPECT_EQ(step.role, access.write ? FindingRole::writes : FindingRole::reads);
  }
  EXPECT_EQ(outcome.left, 0U);
}

// A near miss: the last access belongs to a later unit of its thread.
TEST_P(EachPattern, IsNotFoundAcrossUnits) {
  EXPECT_TRUE(run_atomset(execution(pattern(), pattern().length - 1)).patterns.empty());
}

// A near miss: one of the accesses is to another object.
TEST_P(EachPattern, IsNotFoundAcrossSets) {
  for (int i = 0; i < pattern().length; ++i)
    EXPECT_TRUE(run_atomset(execution(pattern(), -1, i)).patterns.empty()) << i;
}

// A near miss: the same accesses, one unit after the other.
TEST_P(EachPattern, IsNotFoundInSerialUnits) {
  std::string text = kRunning;
  for (const bool other : {false, true}) {
    const std::string thread = other ? "T2 " : "T1 ";
    text += thread + "method(f,o);";
    for (int i = 0; i < pattern().length; ++i) {
      const PatternAccess& access = pattern().accesses[static_cast<std::size_t>(i)];
      if (access.other == other)
        text += thread + (access.write ? "w(o." : "r(o.") + (access.second ? "y);" : "x);");
    }
    text += thread + "exit;";
  }
  EXPECT_TRUE(run_atomset(text).patterns.empty());
}

INSTANTIATE_TEST_SUITE_P(Patterns, EachPattern, testing::Range(1, kPatterns + 1));

TEST(Patterns, TheTableIsThatOfThePaper) {
  for (int i = 0; i < kPatterns; ++i) {
    const Pattern& pattern = patterns()[static_cast<std::size_t>(i)];
    EXPECT_EQ(pattern.number, i + 1);
    EXPECT_EQ(pattern.one_location(), i < 5);
    // The text and the accesses say the same.
    std::string text;
    for (int k = 0; k < pattern.length; ++k) {
      const PatternAccess& access = pattern.accesses[static_cast<std::size_t>(k)];
      text += std::string(k == 0 ? "" : " ") + (access.write ? "W" : "R") +
              (access.other ? "'" : "") +
              (pattern.one_location() ? "(l)"
               : access.second        ? "(l2)"
                                      : "(l1)");
    }
    EXPECT_EQ(text, pattern.text);
    EXPECT_FALSE(pattern.accesses[0].other);
    EXPECT_TRUE(pattern.accesses[1].other);
  }
}

TEST(Patterns, AutomataCountOnlyWhatComesNext) {
  AutomataBits bits = 0;
  const auto meet = [&](const PatternAccess& access) { bits = advance(bits, symbol_of(access)); };
  meet({true, false, true});  // nothing begins with an access of u'
  EXPECT_EQ(bits, 0U);
  for (const PatternAccess& access : patterns()[10].accesses) meet(access);  // 11
  EXPECT_EQ(accepted(bits) & kTwoLocations, AutomataBits{1} << 30);
  const AutomataBits before = accepted(bits);
  for (unsigned symbol = 0; symbol < 8; ++symbol) bits = advance(bits, symbol);
  EXPECT_EQ(accepted(bits) & before, before);  // an end is never left
}

TEST(Patterns, WhatCanStillEnd) {
  const auto after = [](int pattern, int accesses) {
    AutomataBits bits = 0;
    for (int i = 0; i < accesses; ++i)
      bits = advance(bits, symbol_of(patterns()[static_cast<std::size_t>(pattern - 1)]
                                         .accesses[static_cast<std::size_t>(i)]));
    return bits;
  };
  for (int pattern = 1; pattern <= kPatterns; ++pattern) {
    const AutomataBits which = AutomataBits{1} << (3 * (pattern - 1));
    const int length = pattern <= 5 ? 3 : 4;
    const bool ends_with_other = pattern == 8 || pattern >= 13;
    EXPECT_EQ(can_end_without_first(after(pattern, length - 1), which), ends_with_other) << pattern;
    EXPECT_EQ(can_end_without_other(after(pattern, length - 1), which), !ends_with_other);
    EXPECT_FALSE(can_end_without_first(after(pattern, 1), which));
    EXPECT_FALSE(can_end_without_other(after(pattern, 1), which));
  }
}

}  // namespace
}  // namespace raddle
