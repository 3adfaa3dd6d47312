// Whether a program's executions are restored: a few of them are run. For `raddle doctor`.
#pragma once

#include <string>
#include <vector>

#include "host/process/program/doctor.hpp"

namespace raddle {

// `program`: a command line that can be controlled. Its standard input is empty, its output is not
// shown.
Check try_restoring(const std::vector<std::string>& program);

}  // namespace raddle
