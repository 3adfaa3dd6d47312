// Where one thread had a lock between two acquisitions of another: what explains a failure when no
// memory access does. Used by find_interference() alone.
#pragma once

#include <optional>

#include "host/describe/explain/interference.hpp"

namespace raddle {

// Of `failing`: the last wait on a condition whose lock it still holds at the end, if another
// thread had the lock meanwhile; else two acquisitions of one round (below) with another's in
// between, the innermost function's first, the latest first. Of other threads, the first one there
// is, and only if it may be about them: if it is not known who failed (kNoThread), or if it is the
// main thread when all others have ended.
//
// A round: a thread that takes a lock again where it took it before is in a loop and does something
// new; what it learned the last time is not what it relies on.
//
// An acquisition for reading counts as a read, another as a write: what comes between counts if it
// writes, or if both of the others do.
std::optional<Interference> find_lock_interference(const KeptTrace& trace, ThreadId failing);

}  // namespace raddle
