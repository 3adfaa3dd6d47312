// Whose allocation it is: between operator new, which knows where the program allocates, and
// malloc, which allocates. What the runtime allocates is quiet: state/quiet_heap.hpp.
#pragma once

#include <cstdint>

#include "target/state/execution.hpp"

namespace raddle {

// The plan has some of the program's allocations fail. Every allocation of the process asks, also
// those of threads beside the execution, which may end meanwhile: with raddle::check, whose region
// is gone then.
inline bool allocations_may_fail() {
  const SharedRegion* region = __atomic_load_n(&g_region, __ATOMIC_RELAXED);
  return region != nullptr && g_active && region->plan.failing_allocations;
}

// Code address of the call of operator new that is under way; 0 outside one. The event stream shows
// it instead of the place in the C++ library that calls malloc, which takes it and sets it to 0
// again.
extern std::uint64_t g_allocation_site;

}  // namespace raddle
