// Where a lock was released. Used by the searches of this folder, on one finished trace.
#pragma once

#include <cstddef>
#include <optional>

#include "host/symbols/frame.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

// The line of the innermost function of the program, which may be the end of a scope. Nothing if
// that is not known: its caller's line releases nothing.
std::optional<Where> release_place(const KeptTrace& trace, std::size_t release);

// The first release of the lock by the thread after an event, before another.
std::optional<Where> release_between(const KeptTrace& trace, ThreadId thread, std::uint64_t lock,
                                     std::size_t from, std::size_t to);

}  // namespace raddle
