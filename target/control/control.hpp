// Taking control of the process.
#pragma once

namespace raddle {

// Becomes a fork server (when the host asked for one) and, in each execution's process, puts the
// scheduler in control. The first call does it: at main(), or earlier if a constructor creates a
// thread. Does nothing when the process was not started by the host.
void take_control();

// The process gives up control for good: a forked child of an execution.
void lose_control();

// The process is a launcher (protocol/launchers.hpp), not one of its children: the runtime is
// passive, and the program that it becomes gets control.
bool passes_control();

// From here on the host can ask what the running thread does; in sampling.cpp.
void install_sample_handler();
// What the process becomes has no handler for the signal, and must survive it.
void ignore_samples();

}  // namespace raddle
