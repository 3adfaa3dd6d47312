// An execution once more, to be explained: with all its events this time.
#pragma once

#include "host/describe/explanation.hpp"
#include "host/describe/failure.hpp"
#include "host/describe/timeline/timeline.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

struct Explained {
  Failure failure;
  Explanation explanation;  // empty if nothing explains it, or it did not happen again
  Timeline timeline;        // empty if it did not happen again
  KeptTrace trace;          // likewise
};

// `execution` has its choice log, and its details if it failed.
Explained explained_by(Worker& worker, const Execution& execution, Symbolizer& symbols,
                       const RunOptions& options = {});

}  // namespace raddle
