// expect: passed
// The same program, with libc++.
#include "../std_static_guard.cpp"
