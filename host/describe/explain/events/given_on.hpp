// How a thread came to memory that another one made: by which pointer. Used by the searches of this
// folder, on one finished trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"

namespace raddle {

// Where the block that the address is in was allocated, last before an event; nothing if that was
// not seen.
std::optional<std::size_t> allocation_of(const std::vector<Event>& events, std::uint64_t address,
                                         std::size_t before);

struct GivenOn {
  std::size_t write = 0;  // of the pointer, by who made the memory
  std::size_t look = 0;   // the read of it, by who came to the memory
};

// The pointer by which the reader came to `place`, which `writer` made, until it read there. A
// pointer that lies in memory of the writer's own, such as a member of what it made, made nothing
// known: then it is the one to that memory.
std::optional<GivenOn> given_on(const AccessHistory& history, std::uint64_t place, std::size_t read,
                                ThreadId writer);

}  // namespace raddle
