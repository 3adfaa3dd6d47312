// Where libraddle.so is, for the commands that start a program and for `raddle doctor`.
#pragma once

#include <string>

#include "host/base/result.hpp"

namespace raddle {

inline constexpr char kRuntimeLibrary[] = "libraddle.so";

// Absolute path of the runtime that belongs to this tool: beside it (as built), or in ../lib/raddle
// (as installed). The error names both places.
Result<std::string> find_runtime_library();

}  // namespace raddle
