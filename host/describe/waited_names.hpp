// Names of what threads wait for inside the C++ library. describe() sees a number; the events of
// the execution show whose it is. Used by those who have both, before they say how it failed.
#pragma once

#include "host/describe/failure.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

// Puts the names of variables to the barriers, latches and semaphores of the library that threads
// of the failure wait for and that have none. What has none in the program stays as it is.
void name_waited_for(Failure& failure, const KeptTrace& trace, Symbolizer& symbols);

}  // namespace raddle
