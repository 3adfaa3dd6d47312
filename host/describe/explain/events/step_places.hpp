// Places of locks in programs without hooks: without optimisation all that an event knows is the
// library's header that called pthread_mutex_lock. The failure's own steps were recorded with their
// stacks. Used by explain() alone.
#pragma once

#include "host/describe/failure.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

// What threads synchronise by, at a place that is all in headers, gets the program's line that the
// failure knows of the same step. The failure is that of the same execution. Nothing else changes;
// an execution that shows its memory accesses stays as it is.
KeptTrace with_step_places(const KeptTrace& trace, const Failure& failure);

}  // namespace raddle
