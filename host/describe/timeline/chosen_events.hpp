// Which events of an execution belong into its timeline. Used by timeline_of() alone.
#pragma once

#include <cstddef>
#include <vector>

#include "host/trace/kept_trace.hpp"

namespace raddle {

// Their indices, in order: everything by which threads meet, and the program's accesses to places
// that more than one thread uses and at least one of them writes, with the allocation and the end
// of the blocks that these lie in.
std::vector<std::size_t> chosen_events(const KeptTrace& trace);

}  // namespace raddle
