#include "host/campaign/suite/sources.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace raddle {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

void take_words(const json& value, std::vector<std::string>& words) {
  if (value.is_string()) words.push_back(value.get<std::string>());
  if (!value.is_array()) return;
  for (const json& word : value)
    if (word.is_string()) words.push_back(word.get<std::string>());
}

}  // namespace

Result<FoundTests> ctest_tests(std::string_view text, const std::string& directory) {
  const json all = json::parse(text, nullptr, false);
  const bool list = all.is_object() && all.contains("tests") && all["tests"].is_array();
  if (!list) return Error{"ctest printed no list of tests; is this a build folder with tests?"};
  FoundTests found;
  for (const json& one : all["tests"]) {
    SuiteTest test;
    if (!one.is_object() || !one.contains("name") || !one["name"].is_string()) continue;
    test.name = one["name"].get<std::string>();
    test.directory = directory;
    if (one.contains("command")) take_words(one["command"], test.command);
    std::string problem = test.command.empty() ? "it has no command: is it built?" : "";
    const json properties = one.value("properties", json::array());
    for (const json& property : properties) {
      if (!property.is_object() || !property.contains("name") || !property.contains("value"))
        continue;
      const json& value = property["value"];
      const std::string name = property["name"].is_string() ? property["name"] : "";
      if (name == "WORKING_DIRECTORY" && value.is_string())
        test.directory = (fs::path(directory) / value.get<std::string>()).lexically_normal();
      if (name == "ENVIRONMENT") take_words(value, test.environment);
      if (name == "DISABLED" && value == true) problem = "ctest has it disabled";
      if (name == "WILL_FAIL" && value == true) problem = "ctest expects it to fail";
      if (name == "PASS_REGULAR_EXPRESSION" || name == "FAIL_REGULAR_EXPRESSION")
        problem = "what it prints decides whether it passes, which Raddle does not judge";
    }
    if (problem.empty())
      found.tests.push_back(std::move(test));
    else
      found.left_out.push_back(test.name + ": " + problem);
  }
  return found;
}

std::vector<std::string> gtest_cases(std::string_view printed) {
  std::vector<std::string> cases;
  std::string suite;
  for (const std::string& line : lines_of(printed)) {
    // "Suite.  # TypeParam = int", and indented "Case  # GetParam() = 3"
    const std::string name = trimmed(std::string_view(line).substr(0, line.find("  #")));
    if (line.empty() || name.empty()) continue;
    if (line.front() != ' ') {
      suite = name.back() == '.' ? name : "";
    } else if (!suite.empty() && name.find("DISABLED_") == std::string::npos &&
               suite.find("DISABLED_") == std::string::npos) {
      cases.push_back(suite + name);
    }
  }
  return cases;
}

std::vector<std::string> catch2_cases(std::string_view printed) {
  std::vector<std::string> cases;
  for (const std::string& line : lines_of(printed))
    if (!trimmed(line).empty()) cases.push_back(trimmed(line));
  return cases;
}

TestFramework framework_of(std::string_view bytes) {
  if (bytes.find("gtest_list_tests") != std::string_view::npos) return TestFramework::kGoogleTest;
  if (bytes.find("list-test-names-only") != std::string_view::npos) return TestFramework::kCatch2;
  return TestFramework::kNone;
}

std::vector<std::string> case_command(TestFramework framework, const std::string& binary,
                                      const std::string& name) {
  switch (framework) {
    case TestFramework::kNone:
      return {binary};
    case TestFramework::kGoogleTest:
      return {binary, "--gtest_filter=" + name};
    case TestFramework::kCatch2: {
      // Commas, brackets and stars mean something in its patterns.
      std::string pattern;
      for (const char c : name) {
        if (c == ',' || c == '[' || c == ']' || c == '\\' || c == '*') pattern += '\\';
        pattern += c;
      }
      return {binary, pattern};
    }
  }
  return {binary};
}

Result<SuiteTest> command_test(const std::string& text, const std::string& directory) {
  SuiteTest test;
  test.directory = directory;
  std::string_view rest = text;
  if (const std::size_t equals = text.find(" = "); equals != std::string::npos) {
    test.name = trimmed(rest.substr(0, equals));
    rest = rest.substr(equals + 3);
  }
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (in_word) test.command.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      in_word = true;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < rest.size()) ++i;
      word += rest[i];
      in_word = true;
    }
  }
  if (quote != 0) return Error{fmt::format("`{}': a quote is not closed", text)};
  if (in_word) test.command.push_back(std::move(word));
  if (test.command.empty()) return Error{fmt::format("`{}' names no program", text)};
  if (test.name.empty()) test.name = trimmed(rest);
  return test;
}

void make_names_unique(std::vector<SuiteTest>& tests) {
  std::map<std::string, unsigned> seen;
  for (SuiteTest& test : tests) {
    const unsigned number = ++seen[test.name];
    if (number > 1) test.name += fmt::format(" ({})", number);
  }
}

}  // namespace raddle
