// The first phase of a hunt: recorded executions with several strategies, until they show nothing
// new, say what could go wrong. Called by hunt() on its own thread.
#pragma once

#include <vector>

#include "host/campaign/hunt/hunt_state.hpp"

namespace raddle {

// Fills the result's candidates, and for each of them `aims`. False: state.error says why.
bool profile(HuntState& state, std::vector<AimList>& aims);

}  // namespace raddle
