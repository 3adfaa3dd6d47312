// Raddle's own runtime, if the process is under its control: one thread runs at a time, whoever may
// not pass an event is not chosen, and which threads are blocked is known exactly. Without it
// everything here says so.
#pragma once

#include "prevent/monitor/monitor.hpp"

namespace raddle::monitor {

// The number of the execution that the calling thread belongs to, from 1; 0: nobody controls it.
unsigned long execution_under_control();

// Under control alone.
void wait_under_control(int (*ready)(void* data), void* data, bool asks, const void* site);
void changed_under_control();
bool blocked_under_control(const Thread& thread);

// Is called if no thread can go on; the text stays valid.
void explain_under_control(const char* (*stuck)(const char** file, unsigned* line));

// The calling thread is the watch's: libraddle.so may be linked and take control later.
void keep_out_of_executions();

}  // namespace raddle::monitor
