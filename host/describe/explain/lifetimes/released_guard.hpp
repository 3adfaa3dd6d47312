// A lock that the user of an object had before it used the object, and the one who freed it took in
// between. Used by explanations of lifetimes alone.
#pragma once

#include <cstddef>
#include <string>

#include "host/describe/explanation.hpp"

namespace raddle {

// Of a block by its name: what a container frees is its own business, nobody else can own that.
bool is_own_class(const std::string& name);

struct FreedAndUsed {
  std::size_t freed = 0;  // event
  std::size_t used = 0;   // event; the number of all: the use is a fault, and no event
  ThreadId user{};
};

// What would keep the object for its user, if anything is known that would: the lock, or an owner
// of its own where the object has std::shared_ptrs. `explanation.last.inside` are the functions
// that the user is in.
void add_released_guard(Explanation& explanation, const FreedAndUsed& found, const KeptTrace& trace,
                        const Failure& failure, Symbolizer& symbols);

}  // namespace raddle
