// What everybody asks about a failing execution: what is different when it does not fail? Called by
// the last phase of a hunt, on its thread.
#pragma once

#include <cstdint>
#include <optional>

#include "host/describe/explanation.hpp"
#include "host/describe/timeline/timeline.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

struct NearestPassing {
  std::optional<Timeline> timeline;  // nothing if no attempt passed
  KeptTrace trace;                   // of the one that passed
  std::uint64_t executions = 0;      // attempts
};

// Of a failing execution with its choice log, the one that differs last and passes: the last switch
// of threads is left out, so that the thread goes on to the end of its next turn, or goes to
// another thread, which runs until it waits or ends; if all that fails, too, or cannot be executed,
// the switch before it, and so on. `symbols` has the maps of the failing execution. An attempt that
// cannot be started ends the search.
NearestPassing nearest_passing(Worker& worker, const Execution& failing, Symbolizer& symbols,
                               const RunOptions& options);

// Whether an execution that passes may tell more, or that this is not the cause.
bool asks_for_passing(const Explanation& explanation);

// What the nearest execution that passes tells of a failing one with such an explanation; what
// there is otherwise. `trace` is that of the failing execution.
Explanation compared_with_passing(Explanation explanation, Worker& worker, const Execution& failing,
                                  const KeptTrace& trace, const Failure& failure,
                                  Symbolizer& symbols, const RunOptions& options);

}  // namespace raddle
