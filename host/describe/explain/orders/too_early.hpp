// The cause by comparison, where a failing execution alone shows facts only: the failing thread
// read something before another thread wrote it, and in an execution that passes it read it after
// that.
#pragma once

#include <optional>

#include "host/describe/explanation.hpp"

namespace raddle {

// Nothing more is known than who wrote what last: more executions may tell why.
bool is_weak(const Explanation& explanation);

// `failing` is the trace of the failure; `passing`, of an execution of the same program that
// passed.
std::optional<Explanation> explain_by_passing(const KeptTrace& failing, const Failure& failure,
                                              const KeptTrace& passing, Symbolizer& symbols);

}  // namespace raddle
