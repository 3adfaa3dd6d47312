// For livelock.cpp alone: whether a program that does nothing but give way still gets anywhere. It
// may compute, and write to its memory between two yields. A hash of all that it could have changed
// tells.
#pragma once

#include <cstdint>

namespace raddle {

// Of the program's writable memory: data, heap, mappings, and stacks as far as they are in use. Not
// what the runtime keeps for itself; and not the stacks of threads that were idle in this idleness
// (Thread::idled_in), which rounds.cpp looks at. Called on the running thread, rarely: it reads
// everything.
std::uint64_t memory_fingerprint(std::uint64_t idleness);

// The program can write to memory that it shares with other processes: these may do so, too.
bool memory_is_shared();

}  // namespace raddle
