// The code of test frameworks and of check() itself, taken out of what an execution reports: a
// reader wants to see the test, and where it is.
#pragma once

#include <string>

#include "host/process/execution.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// Frames of frameworks are dropped from stacks, and with them the steps that they made (a framework
// has locks of its own).
void drop_framework_frames(Execution& execution, Symbolizer& symbols);

// Of a test framework, or of check() itself.
bool is_framework_function(const std::string& function);

}  // namespace raddle
