// What another program prints. For programs of the user's that are asked something: git, ctest, a
// test binary for its list of cases.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

struct CommandOutputOptions {
  std::string folder;              // where it runs; empty: here
  bool complains = true;           // its standard error is ours; else it goes nowhere
  std::chrono::seconds limit{60};  // then it is killed
};

// What it printed, if it ended with 0. Otherwise one line: "cannot run PROGRAM: ...", or
// "PROGRAM ARGUMENTS failed".
Result<std::string> command_output(const std::vector<std::string>& words,
                                   const CommandOutputOptions& options);

}  // namespace raddle
