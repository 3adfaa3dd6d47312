// For livelock.cpp alone: whether a program that does nothing but give way still gets anywhere. It
// may compute, and write to its memory between two yields. A hash of all that it could have changed
// tells.
#pragma once

#include <cstdint>

namespace raddle {

// Of the program's writable memory: data, heap, mappings, and stacks as far as they are in use. Not
// what the runtime keeps for itself; and not the innermost frames of threads that give way, where
// the counters of waiting loops are. Called on the running thread, rarely: it reads everything.
std::uint64_t memory_fingerprint();

}  // namespace raddle
