// An object that its user came to under a lock, released that lock, or gave it back by a wait, and
// went on with when it had the lock again: another thread had it in between, and freed the object.
// Used by explanations of lifetimes alone.
#pragma once

#include <cstdint>

#include "host/describe/explain/lifetimes/lifetime.hpp"

namespace raddle {

// If so, adds it. `lock`: one that both hold, the one when it frees the object, and the other when
// it uses it.
void add_kept_over_release(Explanation& explanation, const UseAfterFree& found, std::uint64_t lock,
                           const KeptTrace& trace, const Failure& failure, Symbolizer& symbols);

}  // namespace raddle
