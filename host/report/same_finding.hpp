// Which findings of a hunt are one: what its reports show once (results/hunt/hunt_causes.hpp).
#pragma once

#include "host/describe/explanation.hpp"
#include "host/describe/finding_story.hpp"

namespace raddle {

// The finding's accesses are at places that the explanation names, or are of its variable and in
// functions that it names; or each is under one of the two locks that the explanation names.
bool belongs_to(const FindingStory& story, const Explanation& explanation);

// The same cause, variable and places; or of one object that ends too early, or
// that two threads guard by two locks.
bool says_the_same(const Explanation& one, const Explanation& other);

// A memory fault that nobody explains, at a place that the explanation of another one of the same
// kind, at a block of the same size, names.
bool is_same_fault(const Failure& unexplained, const Failure& other, const Explanation& why);

}  // namespace raddle
