// Whether a program uses locks as C does. Advice depends on it. Used by the searches of this
// folder.
#pragma once

#include "host/trace/kept_trace.hpp"

namespace raddle {

// It locks and waits by functions of POSIX that its own lines call, and never by the C++ library's
// classes. False where no lock was taken, or where nobody knows.
bool locks_as_in_c(const KeptTrace& trace);

}  // namespace raddle
