// expect: passed
// The same program, with libc++.
#include "../std_recursive_mutex.cpp"
