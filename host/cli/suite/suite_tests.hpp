// The tests that `raddle suite` was told of, found and listed.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/suite/sources.hpp"

namespace raddle {

struct SuiteSources {
  std::vector<std::string> programs;  // test binaries: each case, if it is of a known framework
  std::vector<std::string> ctest;     // build folders
  std::vector<std::string> commands;  // command lines
  std::string filter;                 // only tests with this in their name; empty: all
};

// Runs ctest and the binaries to ask what tests they have. An error names what could not be asked;
// a suite without tests is one.
Result<FoundTests> find_tests(const SuiteSources& sources);

}  // namespace raddle
