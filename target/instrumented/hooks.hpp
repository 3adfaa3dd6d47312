// Programs built by raddle-cc: the runtime's end of protocol/hooks_abi.h. Decision points at atomic
// operations, and at the accesses that the plan names.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"
#include "protocol/shared_region.hpp"

namespace raddle {

// The execution begins: atomic operations are decision points from here on. Functions run with
// hooks if the plan wants to know of memory accesses (then the hooks write to the stream), or if
// some of these are decision points. Little happens in an unmodified program.
void start_hooks(RaddleStream* stream, const SharedRegion& region);
void stop_hooks();

// A decision point before an atomic operation, or before an access that is to be one. `site` is a
// RaddleSite's address or a code address; `address` is null for a fence.
void memory_point(EventKind kind, const void* address, std::uint64_t bytes, std::uint64_t site);

}  // namespace raddle
