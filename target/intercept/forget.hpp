// What interceptors keep about the execution under way, forgotten before the next one of the same
// process begins (inprocess/forget.cpp). Each is defined beside what it forgets.
#pragma once

namespace raddle {

void forget_clock_looks();
void forget_rwlocks();
void forget_random();
void forget_descriptors();
void forget_thread_attributes();
void forget_exit();

// The execution was abandoned: locks that its threads hold are free again, in the program's memory
// too, or whoever comes next would wait for ever.
void release_mutexes();
void release_rwlocks();

}  // namespace raddle
