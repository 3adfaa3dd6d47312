// A process that runs many executions of a whole program: it remembers itself at main(), runs an
// execution, puts everything back, and runs the next. That costs a few dozen copied pages, where a
// fork costs hundreds of microseconds and more with every megabyte.
//
// It stands behind the fork server, which forks it, and takes its place: while it lives, it reads
// the host's commands and tells how executions end. When it cannot be put back after an execution
// (the program has a child, say), it ends as any forked execution would; the server sees that and
// goes on as before. With fibers all threads are one kernel thread, so there is nobody else to put
// back; with kernel threads there is no snapshot.
//
// The code that puts memory back has its own stack and its own memory, and what it works on must
// lie there: everything else, libraddle.so's own variables too, changes under it.
#pragma once

#include "protocol/shared_region.hpp"

namespace raddle {

// In a forked execution, before its first step. If the plan allows it and the process can be
// remembered, it returns once for each execution from here on; else once, and the region has the
// reason.
void take_snapshot(SharedRegion& region);

// For an exploration (Restoring::point_gap) the process also remembers itself in the middle.
// Whether this execution's plan allows that.
bool takes_points();
// The step at which the next point should be, after `step`; takes_points() only.
std::uint64_t next_point(std::uint64_t step);
// At a decision point, before anybody looks at the plan's next step. It remembers the process, and
// returns false; true each time that an execution goes on from here, with another plan, whose first
// steps are those that were executed so far.
bool pass_point(std::uint64_t step);

// The execution is over, and the process would end with this status, as waitpid() has it. Goes back
// to take_snapshot() if there is a snapshot; returns if not, for the process to end.
void go_back_instead_of_ending(int wait_status);

}  // namespace raddle
