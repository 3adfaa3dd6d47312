// The last phase of a hunt: each failure by its smallest execution, explained. Called by hunt().
#pragma once

#include <cstdint>

#include "host/campaign/hunt/hunt.hpp"

namespace raddle {

// Replays the failure's first execution, minimizes it for so many seconds, and explains what comes
// out. Says how many executions that took. An error means that they could not be started.
Result<std::uint64_t> minimize_failure(Worker& worker, const HuntOptions& options,
                                       Symbolizer& symbols, double seconds, HuntFailure& failure);

}  // namespace raddle
