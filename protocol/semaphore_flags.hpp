// Event::flags of what semaphores and barriers do; beside those of event.hpp.
#pragma once

#include <cstdint>

namespace raddle {

// signal, await: of a semaphore that no other process uses. Event::value is what it counts after
// it.
inline constexpr std::uint8_t kSemaphore = 1;
// signal, await: a thread arrives at a barrier, and leaves it. Event::value of a signal is how many
// threads the barrier waits for.
inline constexpr std::uint8_t kBarrierCount = 2;
// release, never in a trace: what was taken for a lock is none, and its holder gives it up
// (host/analysis/model/semaphore_locks.hpp).
inline constexpr std::uint8_t kGivenUp = 1;

}  // namespace raddle
