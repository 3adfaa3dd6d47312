// An object that its owner ends when another thread has said that it is done, while that thread has
// yet to let go of it: it notifies a condition or releases a lock in it. Used by explanations of
// lifetimes alone.
#pragma once

#include <cstddef>
#include <optional>

#include "host/describe/explanation.hpp"

namespace raddle {

// What the owner saw before the event `end`: adds how the user said so, under which lock, and
// whether the owner looked under it. Changes nothing if the events do not show it. `notifies`: the
// late use is a signal of a condition.
void add_awaited_end(Explanation& explanation, const KeptTrace& trace, const Failure& failure,
                     Symbolizer& symbols, std::size_t end, ThreadId user, bool notifies);

// The failing thread holds a lock that lies in memory that another thread has freed meanwhile.
// `stack`: the program's own functions that the holder is in, innermost first.
std::optional<Explanation> find_freed_while_locked(const KeptTrace& trace, const Failure& failure,
                                                   ThreadId holder, const std::vector<Where>& stack,
                                                   Symbolizer& symbols);

}  // namespace raddle
