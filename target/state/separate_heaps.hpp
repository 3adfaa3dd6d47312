// Heaps that no schedule changes, for explorers that go by what threads see (Plan::by_values). Each
// thread allocates from an area of its own, whose address follows from the thread's number, and
// never reuses a block. So where a block lies depends on the allocations that its thread made
// before, and on nothing else: a pointer means the same in all executions.
//
// The interposed malloc and its kin call this, on the thread that holds the token. Blocks of the C
// library and of the carrier are not made here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/ids.hpp"
#include "protocol/value_log.hpp"

namespace raddle {

extern bool g_separate_heaps;  // in this execution

// At the beginning of an execution. In a process with many of them, the addresses of the last one
// are used again, unless it left blocks that nobody freed: those stay as they are.
void start_separate_heaps(bool wanted);

// Zeroed. Null: there is no room, and the caller takes memory from elsewhere.
void* allocate_apart(ThreadId thread, std::size_t bytes, std::size_t alignment);

inline bool is_apart(const void* block) {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  return address >= kSeparateHeaps && address < kSeparateHeaps + kSeparateHeapsSize;
}
std::size_t size_apart(const void* block);
// False: somebody freed it before.
bool free_apart(void* block);

}  // namespace raddle
