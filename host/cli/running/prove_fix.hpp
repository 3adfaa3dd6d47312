// Whether a failure is gone from a program that was built with a property against it: its schedule
// once more, as far as the program follows it, then as many schedules as the time allows.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/process/watch.hpp"
#include "host/report/fix/prove_report.hpp"

namespace raddle {

struct SavedExecution {
  std::string path;
  ReplayFile file;
};

// Stops at the first failure, which is saved in `folder`. An error means that the program could not
// be executed.
Result<ProveReport> prove_fix(const std::vector<SavedExecution>& saved,
                              const PreparedProgram& prepared, OutputFolder& folder,
                              Clock::duration budget, const std::atomic<bool>& stop);

}  // namespace raddle
