// What executions did outside Raddle's control, in words. Called by the formats, at the end of
// every result of a command that executed something.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/process/out_of_control.hpp"

namespace raddle {

// A paragraph each: what was not controlled or not seen, and what to do. `tool` is this tool as the
// user called it.
std::vector<std::string> control_words(const OutOfControl& out_of_control, const std::string& tool);

// For what "not covered" lists: the timings that were not tried. Empty if nothing slept or waited
// with a time-out, or if the adversarial clock let that end at any moment. `option` is how the user
// asks for that clock.
std::string timing_words(const OutOfControl& out_of_control, std::string_view option);

}  // namespace raddle
