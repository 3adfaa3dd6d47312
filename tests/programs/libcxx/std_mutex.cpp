// expect: passed
// The same program, with libc++.
#include "../std_mutex.cpp"
