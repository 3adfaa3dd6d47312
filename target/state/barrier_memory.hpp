// What glibc keeps in a pthread_barrier_t.
#pragma once

#include <string.h>

namespace raddle {

// pthread_barrier_init, always the real one, fills it in.
struct BarrierMemory {
  unsigned in;
  unsigned current_round;
  unsigned count;
};

// How many threads make a round.
inline unsigned barrier_count(const void* barrier) {
  BarrierMemory memory;
  memcpy(&memory, barrier, sizeof memory);
  return memory.count;
}

}  // namespace raddle
