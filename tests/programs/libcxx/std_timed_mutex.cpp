// expect: passed
// The same program, with libc++.
#include "../std_timed_mutex.cpp"
