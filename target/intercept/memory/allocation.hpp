// Whose allocation it is: between operator new, which knows where the program allocates, and
// malloc, which allocates. What the runtime allocates is quiet: state/quiet_heap.hpp.
#pragma once

#include <cstdint>

#include "target/state/execution.hpp"

namespace raddle {

// The plan has some of the program's allocations fail.
inline bool allocations_may_fail() { return g_active && plan().failing_allocations; }

// Code address of the call of operator new that is under way; 0 outside one. The event stream shows
// it instead of the place in the C++ library that calls malloc, which takes it and sets it to 0
// again.
extern std::uint64_t g_allocation_site;

}  // namespace raddle
