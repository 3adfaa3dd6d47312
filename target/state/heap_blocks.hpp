// Which heap block an object lies in, and where that was allocated: for the report of a detailed
// execution alone, so that a lock in a heap object has a name. Off otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

struct HeapBlock {
  std::uint64_t address;
  std::uint64_t bytes;    // as asked for
  std::uint64_t site;     // code address of the call that allocated it
  std::uint64_t ordinal;  // allocations by that call up to it: 1 the first
};

// Blocks are remembered from here on.
void watch_heap();
extern bool g_heap_watched;

void note_block(const void* block, std::size_t bytes, std::uint64_t site);
void forget_block(const void* block);

// The block that contains the address, or null. Slow: looks at all of them.
const HeapBlock* find_block(std::uint64_t address);

}  // namespace raddle
