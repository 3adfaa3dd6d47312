// The table of the program's signal actions, for signals.cpp.
#pragma once

#include <signal.h>

namespace raddle {

// Before control is taken: what the program has installed so far is learned and wrapped.
void adopt_actions();

// A child process, no longer controlled: the kernel gets the program's own actions.
void restore_actions();

bool is_ignored(int signal);

// Default action: ends the process, and nobody else reports it.
bool ends_process(int signal);

// What the kernel calls for a signal that the program handles. Defined in signals.cpp.
void on_program_signal(int signal, siginfo_t* info, void* context);

}  // namespace raddle
