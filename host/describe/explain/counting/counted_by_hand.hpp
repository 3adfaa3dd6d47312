// Variables that a program counts down by one until somebody sees them at 0: latches made by hand.
// Used by explanations alone.
#pragma once

#include <vector>

#include "host/describe/explain/counting/counted_objects.hpp"

namespace raddle {

// As latches: `start` is what each was before the first count, `posts` are the counts, and `passes`
// the looks that found 0, all since it was set last. What is also counted up is none.
std::vector<CountedObject> counted_by_hand(const KeptTrace& trace);

}  // namespace raddle
