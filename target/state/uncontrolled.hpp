// Notes for the host on what happens outside control (protocol/uncontrolled.hpp). Called by the
// interceptors of fork, exec and their kin; in a forked child too, which shares the region.
#pragma once

namespace raddle {

// The program is about to start a process. It is named by name_child() in the child, if that comes
// to call exec, or by name_last_child() in the parent, if that knows.
void note_child();
void name_last_child(const char* command);
void name_last_child(char* const* arguments);

// The calling process, a forked child of the program, calls exec. Only the first name counts.
void name_child(char* const* arguments);

// The program replaces itself, and control ends.
void note_replacement(char* const* arguments);
void forget_replacement();  // it could not

// The program made a thread with clone().
void note_clone();

// The program writes, or holds, what has a name outside of it: "it writes ", "log.txt". Only the
// first counts.
void note_outside(const char* what, const char* name);

// A thread sleeps, or waits with a time-out.
void note_timed_wait();

// Two of them end at nearly the same moment: which is first may depend on the order of steps.
void note_close_waits();

// The program sets a timer of the kernel's.
void note_kernel_timer();

}  // namespace raddle
