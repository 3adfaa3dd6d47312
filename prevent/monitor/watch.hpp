// A thread of the library that looks at the process while monitors are active, so that nothing
// hangs in silence. The gate calls this under its lock. One thread for the process, made when the
// first monitor becomes active; it sleeps while none is.
//
//   - Threads are held and nothing can go on: the monitors give up, which fails the test.
//   - All threads wait for each other and none is held: a deadlock of the program. Nobody could end
//     the test, so the watch says what it sees on standard error and aborts.
//   - Threads are held while another one runs, sleeps, or waits for something outside: the watch
//     says so within a second, and after `limit` the monitors give up.
#pragma once

#include <cstdint>

namespace raddle::monitor {

struct Pace {
  std::int64_t look_ms = 50;      // between two looks at the process
  int stable_looks = 4;           // the same this often: nothing can go on
  bool stacks = true;             // in what it says
  std::int64_t note_ms = 750;     // held for so long: say why
  std::int64_t limit_ms = 30000;  // RADDLE_SCHEDULE_LIMIT, in seconds
};
// Before the first monitor becomes active.
Pace& pace();

void begin_watching();
void end_watching();

// The calling thread is the only one of the process, beside the watch.
bool alone();

}  // namespace raddle::monitor
