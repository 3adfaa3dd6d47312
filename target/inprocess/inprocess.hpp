// The in-process executor: executions one after another in a process that Raddle's host did not
// start, of one function of the program (raddle::check). The function runs on a fiber of its own as
// the execution's main thread; what it creates are fibers as ever. Whoever called run is *home*: a
// kernel thread that is parked in run while an execution is under way.
//
// An execution that ends by returning leaves nothing behind. One that fails is abandoned where it
// stands: its threads never run again, and their stacks and what they own stay allocated.
#pragma once

namespace raddle {

// The main thread's function has come back.
[[noreturn]] void end_of_function();

}  // namespace raddle
