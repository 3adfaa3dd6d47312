// What an execution did in one step of its choice log. Used by the searches of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/trace/kept_trace.hpp"

namespace raddle {

// The events of one step, but for the decision itself; of one that takes a lock, all until the
// thread gives it back: others see what is done under a lock as one.
std::vector<std::size_t> events_of(const KeptTrace& trace, std::uint64_t step);

// What the thread read last of what others write, it read when the other thread had ended: the
// order of the two does not decide what it saw.
bool reads_after_end(const KeptTrace& trace, ThreadId thread, ThreadId other);

}  // namespace raddle
