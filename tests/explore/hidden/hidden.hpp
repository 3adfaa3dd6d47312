// Shared variables and a lock whose operations Raddle may or may not see: hidden.cpp is compiled in
// several ways.
#pragma once

int load(int variable);
void store(int variable, int value);
void increment(int variable);  // in two steps: reads, then writes
void add_two(int variable);    // in one step
void guarded();  // tries a lock: doubles variable 0, or adds 4 to variable 1 if another thread has
                 // it
