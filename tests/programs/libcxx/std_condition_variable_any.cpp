// expect: passed
// The same program, with libc++.
#include "../std_condition_variable_any.cpp"
