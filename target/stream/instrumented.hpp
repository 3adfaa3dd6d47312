// Programs built by raddle-cc: the runtime's end of protocol/hooks_abi.h. Decision points at atomic
// operations, and at the accesses that the plan names.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"
#include "protocol/shared_region.hpp"

namespace raddle {

// Looks for instrumented modules, once, before any fork. True if there are any.
bool find_hooks();

// The execution begins: atomic operations are decision points from here on. Functions run with
// hooks if the plan wants to know of memory accesses (then the hooks write to the stream), or if
// some of these are decision points. Little happens in an unmodified program.
void start_hooks(RaddleStream* stream, const SharedRegion& region);
void stop_hooks();

// A decision point before an atomic operation, or before an access that is to be one. `site` is a
// RaddleSite's address or a code address; `address` is null for a fence.
void memory_point(EventKind kind, const void* address, std::uint16_t bytes, std::uint64_t site);

// The program has objects compiled with -fsanitize=thread.
void note_tsan_module();

// Some module of this program was built by raddle-cc.
bool is_instrumented();

// The site that the compiler put at this address; null if there is none there.
RaddleSite* described_site(std::uint64_t address);

// The address lies in the code of the hooks: not the program's own, and never a place to preempt.
bool in_hooks(std::uint64_t code);

// The site whose allocation is under way, for the interposed malloc: a RaddleSite or a code
// address; 0 if the caller of malloc is all there is.
std::uint64_t allocating_site();

}  // namespace raddle
