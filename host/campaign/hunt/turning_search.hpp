// Which two steps of a failing execution must come the other way round for it to pass. Called by
// the last phase of a hunt, and by replay, on their thread.
#pragma once

#include <optional>

#include "host/describe/explain/turning/turning_point.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"

namespace raddle {

// Executes the schedule with one thread's next steps moved to the front of another's, the last
// switches first, until it passes; then looks for the fewest such steps, and for the latest place
// where they still help. What remains are two steps next to each other. Last it looks for an
// earlier place of the other step at which the execution passes as well. `trace` is that of
// `failing`, in which `thread` failed: one of the two steps is its own, or it came after both
// threads, or both steps touch the same memory. Nothing if none of these pass.
std::optional<TurningPoint> find_turning_point(Worker& worker, const Execution& failing,
                                               const KeptTrace& trace, ThreadId thread,
                                               const RunOptions& options);

// Three steps of a failing execution, the first and the last of one thread: indices into its log.
struct StepBetween {
  std::uint64_t first = 0;
  std::uint64_t middle = 0;
  std::uint64_t last = 0;
};

// Whether it passes if the thread goes from `first` to `last` at once, and if `middle` comes before
// `first`: then it is the coming between that fails.
bool matters_between(Worker& worker, const Execution& failing, const KeptTrace& trace,
                     const StepBetween& steps, const RunOptions& options);

}  // namespace raddle
