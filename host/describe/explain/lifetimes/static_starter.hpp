// A static object that has started a thread, which goes on when main has returned and another
// static object is gone: the one whose construction ended last is destroyed first. Used by
// explanations of lifetimes alone.
#pragma once

#include <cstddef>

#include "host/describe/explanation.hpp"

namespace raddle {

// If so, adds where it did, by which of its functions. `end`: the event by which the main thread
// ends an object after main has returned; `user`: the thread that uses it.
void add_static_starter(Explanation& explanation, const KeptTrace& trace, Symbolizer& symbols,
                        std::size_t end, ThreadId user);

}  // namespace raddle
