// Where executions follow each other in one process, each begins with a runtime that knows nothing
// of the one before. Whoever keeps something about the execution under way says so where it is
// defined; nothing else has to be edited:
//
//   RADDLE_FORGOTTEN Entry* g_first;  // in the arena
//
// The linker gathers these variables, and all of them are zeroed at once: that is what an execution
// begins with, the first one too, so they have no other initialiser. Where zeroes are not the word
// (a table that is large, and mostly not used), a function forgets:
//
//   void forget_entries() { ... }
//   RADDLE_FORGETS(forget_entries)
//
// The linker gathers the functions in a table, so no constructor runs. They are called in any
// order, on the thread that asks for the executions, while none is under way. They only reset: the
// variables are zeroed and the arena is rewound after the last, so a pointer into it is still
// valid, and must be gone afterwards.
#pragma once

namespace raddle {

// Calls all functions of RADDLE_FORGETS, then zeroes what is RADDLE_FORGOTTEN and rewinds the
// arena.
void forget_execution();

// The execution was abandoned, and its threads never run again. Calls all functions of
// RADDLE_RELEASES_ABANDONED: locks that those threads hold become free, in the program's memory
// too, or whoever comes next would wait for ever.
void release_abandoned();

#define RADDLE_FORGOTTEN [[gnu::section("raddle_forgotten")]]
#define RADDLE_FORGETS(function) \
  [[gnu::used, gnu::section("raddle_forgets")]] void (*g_entry_of_##function)() = function;
#define RADDLE_RELEASES_ABANDONED(function) \
  [[gnu::used, gnu::section("raddle_releases")]] void (*g_entry_of_##function)() = function;

}  // namespace raddle
