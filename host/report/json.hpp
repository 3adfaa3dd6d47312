// A failure as JSON, for --json. Called by cli/ and campaign/, which add what they know of the
// finding as a whole: count, first_seed, replay. The schema is in docs/.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/describe/failure.hpp"

namespace raddle {

// {"level", "kind", "message", "where", "thread", "threads", "cycle", "steps", "misuses"}. Every
// string is valid UTF-8, so dump() does not throw.
nlohmann::json failure_json(const Failure& failure);

nlohmann::json where_json(const Where& where);  // {"file", "line", "function"}

}  // namespace raddle
