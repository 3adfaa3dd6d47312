// The last phase of a hunt: each failure by its smallest execution, explained. Called by hunt().
#pragma once

#include <cstdint>

#include "host/campaign/hunt/hunt.hpp"

namespace raddle {

// Replays the failure's first execution, minimizes it for so many seconds, and explains what comes
// out. An execution that is under way at `until` is cut off; one for which the time is too short
// is not made smaller. Says how many executions that took. An error means that they could not be
// started.
Result<std::uint64_t> minimize_failure(Worker& worker, const HuntOptions& options,
                                       Symbolizer& symbols, double seconds, Clock::time_point until,
                                       HuntFailure& failure);

}  // namespace raddle
