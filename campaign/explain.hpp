// An execution once more, to be explained: with all its events this time.
#pragma once

#include "campaign/execution.hpp"
#include "campaign/worker.hpp"
#include "report/explanation.hpp"
#include "report/failure.hpp"
#include "report/symbolizer.hpp"

namespace raddle {

struct Explained {
  Failure failure;
  Explanation explanation;  // empty if nothing explains it, or it did not happen again
};

// `execution` has its choice log, and its details if it failed.
Explained explained_by(Worker& worker, const Execution& execution, Symbolizer& symbols,
                       const RunOptions& options = {});

}  // namespace raddle
