#pragma once

#include "protocol/report.hpp"

namespace raddle {

// If the calling thread is in std::terminate because of an exception that nobody caught: its
// mangled type and, for a std::exception, its text, into the report. False otherwise. Works with
// libstdc++ and with libc++abi, through the C++ ABI's own entry points, if the program has a C++
// library at all.
bool describe_exception(Report& report);

}  // namespace raddle
