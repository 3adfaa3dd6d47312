// expect: exception
// seeds: 20
// native: no
// message: std::runtime_error.*the disk is full
// The same program, with libc++.
#include "../exception_rethrown.cpp"
