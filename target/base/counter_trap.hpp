// The time-stamp counter (rdtsc, rdtscp). Reads of it can be made to fault (PR_SET_TSC), so that
// they show virtual time (control/counter.hpp). The kernel keeps that per kernel thread; a new
// thread inherits it, and so does, across exec even, a new process, in which nobody would handle
// the fault.
#pragma once

namespace raddle {

// Reads fault in the threads that are under control. Memory: forgotten with the rest when the
// process is put back.
extern bool g_counter_trapped;

// It has changed in the middle of the execution: kernel threads that were parked then do not know.
extern bool g_counter_trap_changed;

// Of the calling kernel thread. False: this kernel, or this container, has no such thing.
bool set_counter_trap(bool on);
bool has_counter_trap();

// The calling kernel thread was parked, and runs again.
inline void follow_counter_trap() {
  if (__builtin_expect(g_counter_trap_changed, 0)) set_counter_trap(g_counter_trapped);
}

// The calling kernel thread, or all its process, was put into a state in which reads may not fault.
inline void renew_counter_trap() {
  if (__builtin_expect(g_counter_trapped, 0)) set_counter_trap(true);
}

// What is started in here, a process or a thread that libc makes for itself, is not under control.
class CounterUntrapped {
 public:
  CounterUntrapped() : trapped_(g_counter_trapped) {
    if (trapped_) set_counter_trap(false);
  }
  ~CounterUntrapped() {
    if (trapped_) set_counter_trap(true);
  }
  CounterUntrapped(const CounterUntrapped&) = delete;
  CounterUntrapped& operator=(const CounterUntrapped&) = delete;

 private:
  bool trapped_;
};

}  // namespace raddle
