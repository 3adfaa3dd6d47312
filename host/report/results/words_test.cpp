#include "host/report/results/words.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(FewExecutions, AreSaidToBeFewWithTheTimeOfOne) {
  EXPECT_EQ(
      few_executions_text(4, 10),
      "Only 4 executions, one in 2.5 s: that is hardly a search. Give it a longer --budget, or "
      "a test that does less in one execution.");
  EXPECT_EQ(few_executions_text(1, 3).substr(0, 26), "Only 1 execution, one in 3");
  EXPECT_NE(few_executions_text(19, 1), "");
  EXPECT_EQ(few_executions_text(20, 60), "");
  EXPECT_EQ(few_executions_text(0, 60), "");
}

}  // namespace
}  // namespace raddle
