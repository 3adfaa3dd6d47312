// Durations as people type them.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/process/watch.hpp"

namespace raddle {

// "500ms", "10s", "2m", "1h"; "10" means seconds. More than nothing, at most a day.
Result<Clock::duration> parse_duration(const std::string& text);

}  // namespace raddle
