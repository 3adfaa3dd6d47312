#include <gtest/gtest.h>

#include "host/report/results/execution_report.hpp"

namespace raddle {
namespace {

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(LastOutput, OfManyLinesTheLast) {
  Execution execution;
  execution.out = lines(1, 9);
  EXPECT_EQ(last_output(execution),
            "   the program printed\n     [4 lines before]\n     line 5\n     line 6\n     line 7\n"
            "     line 8\n     line 9\n");
  EXPECT_EQ(last_output({}), "");
}

TEST(LastOutput, LinesThatWereNotKeptAreNotCounted) {
  Execution execution;
  execution.out = lines(1, 3) + "[raddle: 70000 bytes left out here]\n" + lines(7, 12);
  EXPECT_EQ(last_output(execution),
            "   the program printed\n     [more than 5 lines before]\n     line 8\n     line 9\n"
            "     line 10\n     line 11\n     line 12\n");
}

TEST(LastOutput, WhatNamesAFailureIsShown) {
  Execution execution;
  execution.out = lines(1, 3) +
                  "bank_test.cpp:12: Failure\nExpected equality of these values:\n  balance\n" +
                  lines(4, 20) + "[  FAILED  ] 1 test\n";
  EXPECT_EQ(last_output(execution),
            "   the program printed\n     [3 lines before]\n     bank_test.cpp:12: Failure\n"
            "     Expected equality of these values:\n       balance\n     line 4\n     line 5\n"
            "     line 6\n     line 7\n     [9 lines more]\n     line 17\n     line 18\n"
            "     line 19\n     line 20\n     [  FAILED  ] 1 test\n");
}

TEST(LastOutput, NothingIsShownTwice) {
  Execution execution;
  execution.err = lines(1, 2) + "terminate called without an active exception\n" + lines(3, 4);
  EXPECT_EQ(last_output(execution),
            "   the program printed\n     line 1\n     line 2\n"
            "     terminate called without an active exception\n     line 3\n     line 4\n");
}

TEST(LastOutput, OfALongLineTheBeginning) {
  Execution execution;
  execution.out = std::string(400, 'x') + "\n" + std::string(65'000, 'y') + "\n";
  EXPECT_EQ(last_output(execution), "   the program printed\n     " + std::string(400, 'x') +
                                        "\n     " + std::string(400, 'y') + "... (64,600 more)\n");
  EXPECT_NE(program_output(execution).find("y... (64,600 more)\n"), std::string::npos);
  EXPECT_LT(program_output(execution).size(), 1'000U);
}

}  // namespace
}  // namespace raddle
