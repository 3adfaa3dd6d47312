// What a debugger sees of a replay: a table at the exported symbol raddle_debugger, and a function,
// raddle_debugger_step(), that is called before one step of its choice. The commands of
// host/cli/gdb/raddle.py read and write the table in the memory of the stopped program, whether or
// not this library has symbols, so the table has the offsets of everything that they look at.
//
// All of it works while a recording is repeated, and only then: no other execution pays for it.
#pragma once

#include <cstdint>

#include "target/state/thread.hpp"

namespace raddle {

struct SharedRegion;

// Called once the region has the recording, before its first step.
void show_replay(SharedRegion& region);

// Called on the thread that holds the token, when the replay has chosen the next step of `thread`
// and neither logged nor executed it. Calls raddle_debugger_step() if a debugger waits for it.
void show_step(std::uint64_t step, const Thread& thread);

}  // namespace raddle
