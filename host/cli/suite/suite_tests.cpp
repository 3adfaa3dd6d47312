#include "host/cli/suite/suite_tests.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "host/base/command_output.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

Result<std::vector<SuiteTest>> cases_of(const std::string& program, const std::string& here) {
  const std::string path = fs::absolute(program).lexically_normal().string();
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostBytes)
    return Error{fmt::format("{} is no test program", program)};
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const TestFramework framework = framework_of(bytes);
  const std::string name = fs::path(path).filename().string();
  std::vector<std::string> cases;
  if (framework == TestFramework::kGoogleTest) {
    const Result<std::string> printed =
        command_output({path, "--gtest_list_tests"}, {.folder = here});
    if (!printed) return Error{printed.error()};
    cases = gtest_cases(*printed);
  } else if (framework == TestFramework::kCatch2) {
    // Its exit status is the number of cases.
    const Result<std::string> printed =
        command_output({"sh", "-c", "\"$0\" --list-test-names-only; true", path}, {.folder = here});
    if (!printed) return Error{printed.error()};
    cases = catch2_cases(*printed);
  }
  std::vector<SuiteTest> tests;
  if (framework == TestFramework::kNone)
    return std::vector<SuiteTest>{{.name = name, .command = {path}, .directory = here}};
  for (const std::string& one : cases) {
    tests.push_back({.name = name + "/" + one,
                     .command = case_command(framework, path, one),
                     .directory = here});
  }
  if (tests.empty()) return Error{fmt::format("{} lists no test cases", program)};
  return tests;
}

}  // namespace

Result<FoundTests> find_tests(const SuiteSources& sources) {
  FoundTests all;
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  const auto take = [&](SuiteTest test) {
    if (sources.filter.empty() || test.name.find(sources.filter) != std::string::npos)
      all.tests.push_back(std::move(test));
  };
  for (const std::string& folder : sources.ctest) {
    const std::string path = fs::absolute(folder).lexically_normal().string();
    const Result<std::string> printed =
        command_output({"ctest", "--test-dir", path, "--show-only=json-v1"}, {.folder = {}});
    if (!printed) return Error{printed.error()};
    Result<FoundTests> found = ctest_tests(*printed, path);
    if (!found) return Error{fmt::format("{}: {}", folder, found.error())};
    for (SuiteTest& test : found->tests) take(std::move(test));
    for (std::string& one : found->left_out) all.left_out.push_back(std::move(one));
  }
  for (const std::string& program : sources.programs) {
    Result<std::vector<SuiteTest>> cases = cases_of(program, here);
    if (!cases) return Error{cases.error()};
    for (SuiteTest& test : *cases) take(std::move(test));
  }
  for (const std::string& command : sources.commands) {
    Result<SuiteTest> test = command_test(command, here);
    if (!test) return Error{test.error()};
    take(std::move(*test));
  }
  if (all.tests.empty()) {
    return Error{
        "the suite has no tests: name test programs, --ctest FOLDER, or --test COMMAND "
        "(`test = [...]' under [suite] of raddle.toml)"};
  }
  make_names_unique(all.tests);
  return all;
}

}  // namespace raddle
