// The end of the process.
#pragma once

namespace raddle {

// The calling thread is about to end the process with this status, by exit() or by returning from
// main: a decision point, and a report if the status is not 0.
void process_exits(int status);

// After the last handler of exit(), on the thread that called it. If the handlers had decision
// points, the others have moved meanwhile, and whether they still get on before the process is gone
// is a decision, too. Handlers without one are a part of process_exits().
void process_ends();

}  // namespace raddle
