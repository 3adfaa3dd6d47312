// Misuse of primitives in executions that passed: one of each kind, counted, and explained at the
// end of a campaign.
#pragma once

#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"

namespace raddle {

struct FoundMisuse {
  MisuseNote note;
  Execution execution;      // the one with the fewest preemptions, with its log
  Explanation explanation;  // empty if its events do not show how it came about
  std::string replay_path;  // set by who saves it
};

// Counts what the execution shows; it passed, and has its report and its log.
void add_misuses(std::vector<FoundMisuse>& list, const Execution& execution, Symbolizer& symbols);

// Replays its execution and explains it.
void explain(FoundMisuse& found, Worker& worker, const RunOptions& options, Symbolizer& symbols);

}  // namespace raddle
