// Between the runtime, which makes threads, and malloc.
#pragma once

#include <cstdint>

namespace raddle {

// While one of these lives, allocations are ours or the carrier's, not the program's: nobody is
// told.
inline std::uint32_t g_quiet_heap;
class QuietHeap {
 public:
  QuietHeap() { ++g_quiet_heap; }
  ~QuietHeap() { --g_quiet_heap; }
  QuietHeap(const QuietHeap&) = delete;
  QuietHeap& operator=(const QuietHeap&) = delete;
};

}  // namespace raddle
