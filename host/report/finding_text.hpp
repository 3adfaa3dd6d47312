// Findings of detectors as text for a terminal. Called by cli/; the sentences are
// the detectors' and those of host/report/words.
#pragma once

#include <string>

#include "host/describe/finding_story.hpp"
#include "host/report/text.hpp"

namespace raddle {

// One finding: number, level, kind and count; what is wrong in one sentence; the steps of the
// threads side by side, each with its place, source line, function and locks; why that is a
// problem; the id. Lines end with '\n' and have no trailing spaces. Less than a screen for what is
// usual.
//
// `like`, if not 0, is the number of an earlier finding at the same places: then there are no steps
// and no reason, which would look the same again.
std::string finding_text(std::size_t number, const FindingStory& story, std::size_t like,
                         const TextOptions& look);

// Every step's place is one of the other's.
bool same_places(const FindingStory& story, const FindingStory& earlier);

}  // namespace raddle
