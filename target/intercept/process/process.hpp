// The end of the process.
#pragma once

namespace raddle {

// The calling thread is about to end the process with this status, by exit() or by returning from
// main: a decision point, and a report if the status is not 0.
void process_exits(int status);

}  // namespace raddle
