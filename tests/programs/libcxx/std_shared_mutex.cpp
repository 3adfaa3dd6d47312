// expect: passed
// The program of the same name one folder up, with libc++.
#include "../std_shared_mutex.cpp"
