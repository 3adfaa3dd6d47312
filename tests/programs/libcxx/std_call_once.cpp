// expect: passed
// The same program, with libc++.
#include "../std_call_once.cpp"
