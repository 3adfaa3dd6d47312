#include "host/cli/settings/project_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace raddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSample =
    "# of a project\n"
    "jobs = 2\n"
    "\n"
    "[hunt]\n"
    "budget = \"30s\"\n"
    "ok-exit = [3, 77]\n"
    "strict = true\n"
    "[fuzz]\n"
    "pause-probability = 0.25\n";

std::string words(const ProjectFile& file) {
  std::string text;
  for (const Setting& setting : file.settings) {
    text += fmt::format("{}:{}{}{}=", setting.line, setting.command,
                        setting.command.empty() ? "" : ".", setting.key);
    for (const std::string& value : setting.values) text += value + ",";
    text += setting.is_flag ? "! " : " ";
  }
  return text;
}

std::string error_of(const std::string& text) {
  const Result<ProjectFile> file = parse_project_file(text, "raddle.toml");
  return file ? "" : file.error();
}

TEST(ProjectFile, KeysOfEachCommandInOrder) {
  const Result<ProjectFile> file = parse_project_file(kSample, "/p/raddle.toml");
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(words(*file),
            "2:jobs=2, 5:hunt.budget=30s, 6:hunt.ok-exit=3,77, 7:hunt.strict=true,! "
            "9:fuzz.pause-probability=0.25, ");
  EXPECT_EQ(file->folder(), "/p");
}

TEST(ProjectFile, WhatIsWrongHasItsLine) {
  EXPECT_EQ(error_of("\n[hunt\n").rfind("raddle.toml:2: ", 0), 0U) << error_of("\n[hunt\n");
  EXPECT_EQ(error_of("a = 1\na = 2\n").rfind("raddle.toml:2: ", 0), 0U);
  for (const char* text : {"a = 1979-05-27", "[hunt.x]\na = 1", "a = [[1]]", "a = []", "a = [true]",
                           "a = \"\\u0000\"", "[[hunt]]\nb = 1"}) {
    EXPECT_NE(error_of(text).find("is not a text, a number"), std::string::npos) << text;
  }
}

TEST(ProjectFile, NearestName) {
  const std::vector<std::string> names = {"budget", "jobs", "ok-exit", "suppressions"};
  EXPECT_EQ(nearest_name("bugdet", names), "budget");
  EXPECT_EQ(nearest_name("ok_exit", names), "ok-exit");
  EXPECT_EQ(nearest_name("supression", names), "suppressions");
  EXPECT_EQ(nearest_name("colour", names), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'b'), names), "");
}

TEST(ProjectFile, TheNearestFolderUpToTheCheckout) {
  std::string made = (fs::temp_directory_path() / "raddle-project-XXXXXX").string();
  ASSERT_NE(mkdtemp(made.data()), nullptr);
  const fs::path root = made;
  fs::create_directories(root / "checkout" / ".git");
  fs::create_directories(root / "checkout" / "a" / "b");
  const auto write = [](const fs::path& path) { std::ofstream(path) << "jobs = 1\n"; };
  const auto found = [&] { return find_project_file((root / "checkout" / "a" / "b").string()); };
  write(root / kProjectFileName);
  EXPECT_EQ(found(), "");  // that one is of no checkout of ours
  EXPECT_EQ(find_project_file((root / "else").string()), (root / kProjectFileName).string());
  write(root / "checkout" / kProjectFileName);
  EXPECT_EQ(found(), (root / "checkout" / kProjectFileName).string());
  write(root / "checkout" / "a" / kProjectFileName);
  EXPECT_EQ(found(), (root / "checkout" / "a" / kProjectFileName).string());
  fs::remove_all(root);
}

// Mutated files: an answer or one line, whatever the bytes are. Each number gives the same bytes
// everywhere.
TEST(ProjectFileFuzz, MutatedFiles) {
  const char* wanted = std::getenv("RADDLE_FUZZ_FILES");
  const int files = wanted != nullptr ? std::atoi(wanted) : 12'000;
  const std::string pieces[] = {"[",
                                "]",
                                "[[",
                                "\"\"\"",
                                "'''",
                                "=",
                                "\n",
                                "{",
                                "}",
                                ".",
                                "\\u0000",
                                "#",
                                "\xff",
                                "9223372036854775808",
                                "1e999",
                                "nan",
                                std::string(300, '['),
                                std::string(1, '\0')};
  for (int number = 0; number < files; ++number) {
    std::mt19937_64 random(static_cast<std::uint64_t>(number));
    std::string text = kSample;
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t place = random() % (text.size() + 1);
      switch (random() % 4) {
        case 0:
          text.insert(place, pieces[random() % std::size(pieces)]);
          break;
        case 1:
          text.erase(place, 1 + random() % 8);
          break;
        case 2:
          text.insert(place, 1, static_cast<char>(random()));
          break;
        default:
          text.insert(place, text.substr(random() % (text.size() + 1), random() % 40));
          break;
      }
    }
    const Result<ProjectFile> file = parse_project_file(text, "raddle.toml");
    if (file) continue;
    ASSERT_EQ(file.error().rfind("raddle.toml:", 0), 0U) << number << ": " << file.error();
    ASSERT_EQ(file.error().find('\n'), std::string::npos) << number << ": " << file.error();
  }
}

}  // namespace
}  // namespace raddle
