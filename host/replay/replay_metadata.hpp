// The JSON section of a replay file: everything but the choice log. Used by replay_file.cpp alone.
#pragma once

#include <string>
#include <string_view>

#include "host/replay/replay_file.hpp"

namespace raddle {

// Fails when a field is one that parse_metadata() would refuse.
Result<std::string> format_metadata(const ReplayFile& file);

// A ReplayFile without log. Unknown fields are ignored, so that a later Raddle may add some; a
// field that is missing, of another type or out of range is an error that names it: "metadata field
// `plan.seed' is missing".
Result<ReplayFile> parse_metadata(std::string_view json);

}  // namespace raddle
