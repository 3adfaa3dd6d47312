// What `raddle explore --strategy capp` is told of a change, made into impacted code points.
#pragma once

#include <string>
#include <vector>

#include "host/cli/options/options.hpp"
#include "host/explore/changes/impact.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct ChangeImpact {
  ImpactedPoints points;
  std::vector<std::string> remarks;  // lines that are not there, nothing that matches, ...
};

bool needs_stacks(const ExploreCommand& command);

// Reads the patch or asks git, and records one execution. An error: there is no patch to read.
Result<ChangeImpact> impact_of(const ExploreCommand& command, Worker& worker, Plan plan,
                               const RunOptions& running);

}  // namespace raddle
