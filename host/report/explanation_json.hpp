// An explanation as JSON. Called by cli/; the schema is in docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/describe/explanation.hpp"

namespace raddle {

// Null if it is empty.
nlohmann::json explanation_json(const Explanation& explanation);

}  // namespace raddle
