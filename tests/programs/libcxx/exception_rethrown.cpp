// expect: exception
// seeds: 20
// native: no
// message: std::runtime_error.*the disk is full
// The program of the same name one folder up, with libc++.
#include "../exception_rethrown.cpp"
