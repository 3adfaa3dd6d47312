#include "host/report/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/describe/testing/test_failures.hpp"

namespace raddle {
namespace {

using nlohmann::json;

TEST(JsonTest, HasTheFieldsOfAFinding) {
  const json object = failure_json(assertion_failure());
  EXPECT_EQ(object["level"], "failing");
  EXPECT_EQ(object["kind"], "assertion");
  EXPECT_EQ(object["message"], "assertion `balance_ >= 0' failed in Account::withdraw");
  EXPECT_EQ(object["where"],
            (json{{"file", "src/bank.cpp"}, {"line", 18}, {"function", "Account::withdraw"}}));
  EXPECT_EQ(object["thread"], 2);
  ASSERT_EQ(object["threads"].size(), 3u);
  EXPECT_EQ(object["threads"][0]["name"], "teller-2");
  EXPECT_EQ(object["threads"][0]["stack"][2]["function"], "Account::withdraw");
  EXPECT_EQ(object["threads"][0]["stack"][0]["in_program"], false);
  ASSERT_EQ(object["steps"].size(), 9u);
  for (std::size_t i = 1; i < 9; ++i) {
    EXPECT_LT(object["steps"][i - 1]["step"], object["steps"][i]["step"]);
  }
  EXPECT_EQ(object["steps"][8]["thread"], 2);
  EXPECT_EQ(object["misuses"].size(), 1u);
  EXPECT_TRUE(object["cycle"].is_array());
}

TEST(JsonTest, LevelsOfTheOtherOutcomes) {
  Failure failure;
  for (const OutcomeKind kind :
       {OutcomeKind::kLimit, OutcomeKind::kInconclusive, OutcomeKind::kDiverged}) {
    failure.kind = kind;
    EXPECT_EQ(failure_json(failure)["level"], "inconclusive");
  }
  failure.kind = OutcomeKind::kDeadlock;
  EXPECT_EQ(failure_json(failure)["level"], "failing");
  EXPECT_EQ(failure_json(failure)["kind"], "deadlock");
}

TEST(JsonTest, AnyByteInANameCanBeDumped) {
  Failure failure = deadlock_failure();
  failure.where.file = "\xff\xfe.cpp";
  failure.threads[0].name = "\xc3(";
  failure.verdict->cycle[0].where.file = "\x80";
  EXPECT_NO_THROW(failure_json(failure).dump());
}

}  // namespace
}  // namespace raddle
