// The last steps of the threads, side by side. Called by text.cpp.
#pragma once

#include <string>

#include "host/describe/failure.hpp"
#include "host/report/text.hpp"

namespace raddle {

// Up to three threads as columns, more as a list with the thread on each line; in the order of
// execution, with the place of the failure marked. Empty if no step is known.
std::string step_columns(const Failure& failure, const TextOptions& options);

}  // namespace raddle
