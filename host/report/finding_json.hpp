// Findings of detectors as JSON, for --json. The schema is in docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/describe/finding_story.hpp"

namespace raddle {

// Every string is valid UTF-8, so dump() does not throw.
nlohmann::ordered_json finding_json(const FindingStory& story);

}  // namespace raddle
