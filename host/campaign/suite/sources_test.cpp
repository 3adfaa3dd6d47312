#include "host/campaign/suite/sources.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

using Words = std::vector<std::string>;

TEST(SuiteSources, CtestWithItsProperties) {
  const Result<FoundTests> found = ctest_tests(
      R"({"kind": "ctestInfo", "tests": [
        {"name": "a", "command": ["/b/a", "1"], "properties": [
          {"name": "WORKING_DIRECTORY", "value": "/b/sub"}, {"name": "ENVIRONMENT", "value": ["X=1"]}]},
        {"name": "off", "command": ["/b/a"], "properties": [{"name": "DISABLED", "value": true}]},
        {"name": "fails", "command": ["/b/a"], "properties": [{"name": "WILL_FAIL", "value": true}]},
        {"name": "not built"}, 7]})",
      "/b");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->tests.size(), 1U);
  EXPECT_EQ(found->tests[0].command, (Words{"/b/a", "1"}));
  EXPECT_EQ(found->tests[0].directory, "/b/sub");
  EXPECT_EQ(found->tests[0].environment, Words{"X=1"});
  EXPECT_EQ(found->left_out.size(), 3U);
  for (const char* wrong : {"", "{", "[]", "{\"tests\": 3}"}) EXPECT_FALSE(ctest_tests(wrong, "/"));
}

TEST(SuiteSources, CasesOfGoogleTest) {
  EXPECT_EQ(
      gtest_cases("Running main() from gtest_main.cc\nBank.\n  Transfer\n  DISABLED_Slow\n"
                  "Typed/0.  # TypeParam = int\n  Adds\nAll/Param.\n  Is/0  # GetParam() = 3\n"),
      (Words{"Bank.Transfer", "Typed/0.Adds", "All/Param.Is/0"}));
  EXPECT_TRUE(gtest_cases("usage: x\n").empty());
}

TEST(SuiteSources, CasesOfCatch2AreEscaped) {
  EXPECT_EQ(catch2_cases("queue, empty\nstack [1]\n\n"), (Words{"queue, empty", "stack [1]"}));
  EXPECT_EQ(case_command(TestFramework::kCatch2, "t", "queue, [1]*"),
            (Words{"t", "queue\\, \\[1\\]\\*"}));
  EXPECT_EQ(case_command(TestFramework::kGoogleTest, "t", "A.b"),
            (Words{"t", "--gtest_filter=A.b"}));
}

TEST(SuiteSources, CommandLines) {
  const Result<SuiteTest> test = command_test("both = ./bank 'two words' \"a\\\"b\" c\\ d", "/s");
  ASSERT_TRUE(test);
  EXPECT_EQ(test->name, "both");
  EXPECT_EQ(test->command, (Words{"./bank", "two words", "a\"b", "c d"}));
  EXPECT_EQ(command_test("./bank 3", "/s")->name, "./bank 3");
  EXPECT_FALSE(command_test("./bank 'open", "/s"));
  EXPECT_FALSE(command_test("  ", "/s"));
}

TEST(SuiteSources, NamesAreUnique) {
  std::vector<SuiteTest> tests(3);
  tests[0].name = tests[1].name = "a";
  tests[2].name = "b";
  make_names_unique(tests);
  EXPECT_EQ(tests[0].name, "a");
  EXPECT_EQ(tests[1].name, "a (2)");
  EXPECT_EQ(tests[2].name, "b");
}

}  // namespace
}  // namespace raddle
