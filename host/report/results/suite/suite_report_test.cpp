#include "host/report/results/suite/suite_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace raddle {
namespace {

constexpr char kNoThreads[] = "no test with several threads was searched";
constexpr char kNotDrawn[] = "ended before the first of these";
constexpr char kMoreTests[] = "Of 1 more test with several threads it is not known";

TestState test_with(std::uint32_t threads) {
  TestState test;
  test.probed = true;
  test.profile.threads = threads;
  test.executions = 13;
  return test;
}

std::string text_of(std::vector<TestState> tests) {
  const SuiteReport report{.folder = "out", .tests = tests};
  TextOptions look;
  look.width = 1000;
  return document_of(report).text(look);
}

bool says(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

TEST(SuiteRisk, NotKnownWithOneThread) {
  const std::string text = text_of({test_with(1)});
  EXPECT_TRUE(says(text, kNoThreads)) << text;
}

// Candidates are tried before the search draws: a budget may end in between.
TEST(SuiteRisk, NotKnownBeforeTheSearch) {
  const std::string text = text_of({test_with(1), test_with(3)});
  EXPECT_TRUE(says(text, kNotDrawn)) << text;
  EXPECT_FALSE(says(text, kNoThreads)) << text;
}

TEST(SuiteRisk, NamesWhatItIsNotOf) {
  TestState covered = test_with(2);
  covered.complete = true;
  TestState drawn = test_with(2);
  drawn.strategies["random"].outcomes.add(1, 1000);
  for (const TestState& searched : {covered, drawn}) {
    EXPECT_TRUE(says(text_of({searched, test_with(2)}), kMoreTests));
    EXPECT_FALSE(says(text_of({searched, test_with(1)}), kMoreTests));
  }
}

}  // namespace
}  // namespace raddle
