#include "host/explore/changes/patch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "protocol/generator.hpp"

namespace raddle {
namespace {

constexpr const char* kPatch =
    "diff --git a/src/x.cpp b/src/x.cpp\n"
    "index 1..2 100644\n"
    "--- a/src/x.cpp\n"
    "+++ b/src/x.cpp\n"
    "@@ -1,4 +1,4 @@ int main()\n"
    " one\n"
    "-two\n"
    "+zwei\n"
    " three\n"
    " four\n"
    "@@ -8,3 +8,2 @@\n"
    " eight\n"
    "-nine\n"
    " ten\n"
    "\\ No newline at end of file\n";

class PatchTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ + "/src"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void source(const std::string& text) const { std::ofstream(folder_ + "/src/x.cpp") << text; }
  ChangedLine at(std::uint32_t line) const {
    return {std::filesystem::weakly_canonical(folder_ + "/src/x.cpp").string(), line};
  }

  const std::string folder_ = testing::TempDir() + "patch_test_" + std::to_string(getpid());
};

TEST_F(PatchTest, LinesOfTheNewerSide) {
  source("one\nzwei\nthree\nfour\n5\n6\n7\neight\nten\n");
  const Result<Patch> patch = parse_patch(kPatch);
  ASSERT_TRUE(patch) << patch.error();
  ASSERT_EQ(patch->hunks.size(), 2U);
  const AppliedPatch applied = apply_patch(*patch, folder_);
  EXPECT_TRUE(applied.problems.empty());
  // Added: 2. Beside removed lines: 1, and 8 and 9.
  EXPECT_EQ(applied.lines, (std::vector<ChangedLine>{at(1), at(2), at(8), at(9)}));
}

TEST_F(PatchTest, WhatIsNotThereIsNamed) {
  source("one\nzwei\nthree\nfour\n5\n6\n7\nsomething else\nten\n");
  const AppliedPatch applied = apply_patch(*parse_patch(kPatch), folder_);
  ASSERT_EQ(applied.problems.size(), 1U);
  EXPECT_NE(applied.problems[0].find("x.cpp:8: the patch has `eight'"), std::string::npos);
  EXPECT_EQ(applied.lines, (std::vector<ChangedLine>{at(1), at(2)}));
  std::filesystem::remove(folder_ + "/src/x.cpp");
  EXPECT_EQ(apply_patch(*parse_patch(kPatch), folder_).problems.size(), 2U);
}

TEST_F(PatchTest, NoPatch) {
  EXPECT_TRUE(parse_patch("")->hunks.empty());
  EXPECT_TRUE(parse_patch("hello\nworld\n")->hunks.empty());
  for (const char* bad :
       {"+++ b/x\n@@ nonsense @@\n", "@@ -1 +1 @@\n-a\n+b\n", "+++ b/x\n@@ -1,2 +1,2 @@\n a\n",
        "+++ b/x\n@@ -1 +1 @@\n*a\n", "+++ b/x\n@@ -1,1 +1,99999999999 @@\n a\n"}) {
    EXPECT_FALSE(parse_patch(bad)) << bad;
  }
}

TEST_F(PatchTest, AnyTextIsReadOrRefused) {
  Generator generator(3);
  for (int i = 0; i < 5000; ++i) {
    std::string text = kPatch;
    for (std::uint64_t n = generator.below(6); n-- > 0;) {
      const std::size_t at = generator.below(text.size());
      switch (generator.below(3)) {
        case 0:
          text[at] = static_cast<char>(generator.below(256));
          break;
        case 1:
          text.erase(at, 1 + generator.below(10));
          break;
        default:
          text.insert(at, "@@ -1,3 +2,9 @@\n");
          break;
      }
    }
    const Result<Patch> patch = parse_patch(text);
    if (patch) apply_patch(*patch, folder_);
  }
}

TEST_F(PatchTest, RevisionsAreNoOptions) {
  EXPECT_FALSE(git_diff(folder_, "--output=x", "HEAD"));
  EXPECT_FALSE(git_diff(folder_, "", "HEAD"));
}

}  // namespace
}  // namespace raddle
