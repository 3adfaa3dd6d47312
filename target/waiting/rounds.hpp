// For livelock.cpp alone: do all threads that can move go round in loops? A *window* is a time in
// which this is watched: each thread's registers and stack are compared at its idle operations.
//
// What a thread does next follows from its registers, its stack and the memory that it reads. If it
// comes back to the same registers and stack while the memory stays the same, it does so for ever,
// whoever else runs in between. A thread that counts its rounds, on its stack or in a register,
// never looks the same twice. A thread that was not chosen, because a strategy holds it back, has
// made no round.
#pragma once

namespace raddle {

// A new window begins: what was seen before counts for nothing.
void watch_rounds();
void stop_watching_rounds();

// In this window every enabled thread came back to the same state, more than once.
bool all_go_round();

}  // namespace raddle
