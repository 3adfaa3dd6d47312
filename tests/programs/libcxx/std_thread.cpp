// expect: passed
// The same program, with libc++.
#include "../std_thread.cpp"
