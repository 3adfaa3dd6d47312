// expect: passed
// The same program, with libc++.
#include "../std_latch_barrier.cpp"
