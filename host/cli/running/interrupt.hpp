// Ctrl-C and kin, as flags that the commands look at. One process-wide instance, set up by a
// command before it starts anything.
#pragma once

#include <atomic>

namespace raddle {

// From now on SIGINT, SIGTERM and SIGHUP set the flag. The command has two seconds to end then:
// what takes longer is cut off. A second SIGINT ends the process at once.
const std::atomic<bool>& stop_on_signals();

// From now on these signals go to the program under control: the value is the signal that a watcher
// has to send on, or 0; negative if the program got it by itself, as with Ctrl-C at the terminal.
// The limit of two seconds is the same.
std::atomic<int>& forward_signals();

// The program is over, and what is left to do may take longer than two seconds: no limit any more,
// and from now on these signals end the process at once.
void end_at_once_on_signals();

// Whether any of these signals came since, and the last of them (0 if none).
bool interrupted();
int interrupting_signal();

}  // namespace raddle
