// An object that one thread destroys while another is still in one of its functions: as a member,
// what is used ends with it. Used by explanations of lifetimes alone.
#pragma once

#include "host/describe/explain/lifetimes/released_guard.hpp"

namespace raddle {

// If so, adds it: neither a lock nor another owner of the member helps, but to wait for the user.
void add_owner_end(Explanation& explanation, const FreedAndUsed& found, const KeptTrace& trace,
                   Symbolizer& symbols);

}  // namespace raddle
