/* What monitors that are linked into a program (prevent/) ask of libraddle.so, if it is there: they
   find these functions by name. Plain C. All are called on the threads of the program. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the execution that the calling thread belongs to, from 1; 0 if it is not under
   control. */
unsigned long raddle_monitor_execution(void);

/* The calling thread comes to an event: a decision point, at which it waits until ready(data) says
   1. `ready` is called on any thread, inside the runtime, and only looks. `asks` says that it asks
   raddle_monitor_blocked(). `site` is the place in the program. */
void raddle_monitor_event(int (*ready)(void* data), void* data, int asks, unsigned long site);

/* An event has happened: threads that wait in raddle_monitor_event() look again. */
void raddle_monitor_changed(void);

/* The thread waits for another one or for something outside, and neither sleeps nor is at an event
   nor waits for a lock whose owner can go on. */
int raddle_monitor_blocked(unsigned long pthread);

/* Without control: monitors listen from now on (1), or no more (0); calls are counted. */
void raddle_monitor_listen(int begin);

/* Without control: the calling thread is one that monitors know from now on. */
void raddle_monitor_met(unsigned long pthread);

/* Without control: 1 if the thread waits for a condition variable or a semaphore and nobody has
   woken one of its waiters since; 0 if that is not known. */
int raddle_monitor_waits(unsigned long pthread);

/* Called if no thread can go on and one waits at an event: says so in a line, with the place of
   what it waits for. */
typedef const char* (*RaddleMonitorStuck)(const char** file, unsigned* line);
void raddle_monitor_when_stuck(RaddleMonitorStuck stuck);

/* Called if no thread can go on, for each thread that waits at an event, unless
   raddle_monitor_when_stuck() was: what it waits for, "property OneFork: event acquire"; null if
   that is not known. The execution ends as a deadlock. */
typedef const char* (*RaddleMonitorWait)(unsigned long pthread);
void raddle_monitor_when_deadlocked(RaddleMonitorWait wait);

/* The calling thread belongs to the monitors, and keeps out of executions' way. */
void raddle_monitor_helper(void);

#ifdef __cplusplus
}
#endif
