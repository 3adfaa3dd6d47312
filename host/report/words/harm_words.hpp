// What a violation of atomicity rests on, and what harm it did, in sentences.
#pragma once

#include <string>

#include "host/describe/finding_story.hpp"

namespace raddle {

// "`work' of T1 is taken for one unit, because it takes log.m more than once." Empty for a finding
// that rests on no inference.
std::string inference_words(const FindingStory& story);
std::string inference_words(const StoryUnit& unit, const std::string& object);

// "Serially lines is 4; here it is 3." Or why no harm is claimed. Empty if nobody looked.
std::string harm_words(const Harm& harm);

}  // namespace raddle
