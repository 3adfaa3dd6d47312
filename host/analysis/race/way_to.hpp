// Through which functions a thread came to an access in a header, in words. A line of a library's
// header alone says little: every caller of the library comes by there. The race detector asks when
// it reports.
#pragma once

#include <span>
#include <string>

#include "host/analysis/model/execution_state.hpp"

namespace raddle {

// "get_ptr (tagged_ptr.hpp:44) < pop (queue.hpp:300) < consume", from the inside up to a function
// that is in no system header; functions of the C++ library are left out. `stack` is
// FindingStep::stack. Empty if the access is in the file of the function that it was compiled into.
std::string way_to(const Site& access, std::span<const SiteId> stack, const ExecutionState& state);

}  // namespace raddle
