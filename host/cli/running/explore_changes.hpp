// What `raddle explore --strategy capp` is told of a change, made into impacted code points.
#pragma once

#include <string>
#include <vector>

#include "host/explore/changes/impact.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct ChangeOptions {
  std::string base = "icb";  // the strategy that is put in another order
  std::string heuristic = "LS";
  std::string changes;  // OLD..NEW, revisions of git
  std::string patch;    // or a file
  std::string sources = ".";
};

struct ChangeImpact {
  ImpactedPoints points;
  std::vector<std::string> remarks;  // lines that are not there, nothing that matches, ...
};

// Reads the patch or asks git, and records one execution. An error: there is no patch to read.
Result<ChangeImpact> impact_of(const ChangeOptions& options, Worker& worker, Plan plan,
                               const RunOptions& running);

}  // namespace raddle
