// Whether a violation of atomicity that rests on an inference does harm. Nobody said that the units
// are meant to be atomic; but if what the two units leave is what neither serial order of them
// leaves, then something went wrong between them. It is shown by executing them: three guided
// executions that stop both threads before their units, and then let them interleave as the
// violation did, the first unit before the second, and the second before the first.
//
// Nothing is claimed where a serial order cannot be executed, because one unit waits for the other,
// and where nothing can be compared.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/model/finding.hpp"
#include "host/base/result.hpp"
#include "host/describe/finding_story.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct HarmChecked {
  Harm harm;
  Execution interleaved;           // the first of the three, with its log; only if it could be done
  std::vector<Execution> serial;   // the others
  std::vector<Execution> failing;  // those of the three that failed, in this order
  std::uint64_t executions = 0;
};

// The finding was confirmed in the execution, which passed and has its choice log. An error means
// that no execution could be started.
Result<HarmChecked> check_harm(Worker& worker, const Finding& finding, const Execution& execution,
                               const RunOptions& options);

}  // namespace raddle
