// A use of a primitive that POSIX forbids: who held, destroyed or awaited the object then. Used for
// executions that passed; of one that failed it is the cause where the misused lock was to guard
// what went wrong.
#pragma once

#include "host/describe/explanation.hpp"

namespace raddle {

// `misuse` is one of the failure's, which is of the same execution as the trace. Empty if the
// events do not show how it came about.
Explanation explain_misuse(const KeptTrace& trace, const Failure& failure, const MisuseLine& misuse,
                           Symbolizer& symbols);

}  // namespace raddle
