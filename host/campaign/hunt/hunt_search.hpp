// The main phase of a hunt: for each candidate the strategy that brings it about, again and again,
// in turn with strategies that have nothing in view. Called by hunt().
#pragma once

#include <vector>

#include "host/campaign/hunt/hunt_state.hpp"

namespace raddle {

// `aims`: those of the first candidates of the result, one list each. False: state.error says why.
bool search(HuntState& state, const std::vector<AimList>& aims);

}  // namespace raddle
