// The pointer by which a thread came to the memory that it races for, or the atomic variable that
// told it that the other was done, in words. Called by the printers of findings.
#pragma once

#include <string>

#include "host/describe/finding_story.hpp"

namespace raddle {

// By which variable, and where it was stored and loaded; empty if nothing is known of it.
std::string published_words(const FindingStory& story);
// What would order the accesses; empty likewise.
std::string published_suggestion(const FindingStory& story);

}  // namespace raddle
