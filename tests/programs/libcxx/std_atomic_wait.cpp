// expect: passed
// The same program, with libc++.
#include "../std_atomic_wait.cpp"
