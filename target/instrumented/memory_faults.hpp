// Memory faults of instrumented programs: what their checks found (protocol/hooks_abi.h), and
// blocks that are freed twice. Each ends the execution, at the faulting access.
#pragma once

#include <cstdint>

#include "target/heap/guarded_heap.hpp"

namespace raddle {

// RaddleState::fault. `address` is the first byte that must not be touched.
void memory_fault(const void* address, std::uint64_t bytes, std::uint32_t writes);

// For accesses without a check of their own: whether the program must not make it. Then, inside the
// runtime, the execution ends.
bool is_fault(const void* address, std::uint64_t bytes);
[[noreturn]] void end_at_fault(const void* address, std::uint64_t bytes, bool writes);

// g_judge_object.
void judge_object(const void* address);

// A block could not be freed. Returns if the thread is not under control.
void bad_free(const void* block, GuardedHeap::Release why);

}  // namespace raddle
