// Where the tests of a suite come from: ctest, GoogleTest and Catch2 binaries, command lines. What
// these programs print is foreign input.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/suite/item.hpp"

namespace raddle {

struct FoundTests {
  std::vector<SuiteTest> tests;
  std::vector<std::string> left_out;  // "NAME: why"
};

// Of `ctest --show-only=json-v1`.
Result<FoundTests> ctest_tests(std::string_view json, const std::string& directory);

// Of `BINARY --gtest_list_tests`, each case as a test of its own. Empty: that is no such list.
std::vector<std::string> gtest_cases(std::string_view printed);
// Of `BINARY --list-test-names-only`; hidden ones are not in it.
std::vector<std::string> catch2_cases(std::string_view printed);

enum class TestFramework { kNone, kGoogleTest, kCatch2 };
// By what the file's bytes contain: it is not executed for that.
TestFramework framework_of(std::string_view bytes);

// The arguments that make the binary run one case alone.
std::vector<std::string> case_command(TestFramework framework, const std::string& binary,
                                      const std::string& name);

// A command line as a shell would split it: quotes and backslashes, nothing else. "NAME = COMMAND"
// gives the test a name.
Result<SuiteTest> command_test(const std::string& text, const std::string& directory);

// Two tests of the same name get numbers: names are how people and stores tell tests apart.
void make_names_unique(std::vector<SuiteTest>& tests);

}  // namespace raddle
