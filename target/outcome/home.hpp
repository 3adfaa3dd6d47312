// Where executions follow each other in one process, *home* is whoever asked for them: a kernel
// thread that is parked in inprocess/executor.cpp while an execution is under way. An execution
// that is over switches back to it. Where the process is the execution there is no home.
#pragma once

#include "protocol/shared_region.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/state/execution.hpp"
#include "target/state/thread.hpp"

namespace raddle {

extern Thread g_home;
// Told when the process dies in an execution, which could not return home.
extern void (*g_dying)(SharedRegion*);

// The execution is over, passed or with a report: back to whoever asked for it. Returns only where
// the process is the execution.
void return_home();

// The same where there is a home. Inline, for the end of every execution that passes: see
// fiber_entry() in carrier/fiber.cpp.
[[noreturn]] __attribute__((always_inline)) inline void switch_home() {
  Thread& here = *g_current;
  g_current = &g_home;
  switch_fiber(here, g_home);
  fatal("internal error: an execution that is over goes on");
}

// A fault: as return_home(), unless the thread was inside something of libc that home needs too
// (the heap, standard output): then it says what it can and returns, for the process to die.
void return_home_from_crash();

}  // namespace raddle
