// An object that one thread destroys while another, which the object has started, is still in one
// of its functions: its members end one after the other, and whatever the other thread then meets
// has one cause. Used by explanations of lifetimes alone.
#pragma once

#include "host/describe/explain/lifetimes/released_guard.hpp"

namespace raddle {

// If so, adds it: neither a lock nor another owner of the member helps, but to wait for the user.
// Either of the two threads may be the one that destroys the object.
void add_owner_end(Explanation& explanation, const FreedAndUsed& found, const KeptTrace& trace,
                   Symbolizer& symbols);

}  // namespace raddle
