// Whose allocation it is: between operator new, which knows where the program allocates, and
// malloc, which allocates; and between the runtime, which makes threads, and both.
#pragma once

#include <cstdint>

namespace raddle {

// Code address of the call of operator new that is under way; 0 outside one. The event stream shows
// it instead of the place in the C++ library that calls malloc, which takes it and sets it to 0
// again.
extern std::uint64_t g_allocation_site;

// While one of these lives, allocations are ours or the carrier's, not the program's: nobody is
// told.
extern std::uint32_t g_quiet_heap;
class QuietHeap {
 public:
  QuietHeap() { ++g_quiet_heap; }
  ~QuietHeap() { --g_quiet_heap; }
  QuietHeap(const QuietHeap&) = delete;
  QuietHeap& operator=(const QuietHeap&) = delete;
};

}  // namespace raddle
