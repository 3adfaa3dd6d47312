// expect: passed
// The same program, with libc++.
#include "../std_shared_mutex.cpp"
