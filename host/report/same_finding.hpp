// Which findings of a hunt are one: what its reports show once (results/hunt/hunt_causes.hpp).
#pragma once

#include "host/describe/explanation.hpp"
#include "host/describe/finding_story.hpp"

namespace raddle {

// The finding's accesses are at places that the explanation names, or are of its variable and in
// functions that it names; or each is under one of the two locks that the explanation names.
bool belongs_to(const FindingStory& story, const Explanation& explanation);

// The same cause, variable and places; or of one object that ends too early.
bool says_the_same(const Explanation& one, const Explanation& other);

}  // namespace raddle
