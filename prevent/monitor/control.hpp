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

// Without control, if libraddle.so is linked or preloaded: it sees waits for condition variables
// and semaphores, and their wake-ups. False: nobody knows whether the thread waits, ask the kernel.
bool waits_natively(const Thread& thread);
bool sees_waits();
void listen_to_waits(bool begin);
// The calling thread is new to the monitors.
void met_natively(const Thread& self);

// Is called if no thread can go on; the text stays valid.
void explain_under_control(const char* (*stuck)(const char** file, unsigned* line));

// The same, for each thread at an event, if nobody was asked to explain: what it waits for.
void name_waits_under_control(const char* (*wait)(unsigned long pthread));

// The calling thread is the watch's: libraddle.so may be linked and take control later.
void keep_out_of_executions();

}  // namespace raddle::monitor
