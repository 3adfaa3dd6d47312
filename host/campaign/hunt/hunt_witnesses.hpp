// What one passing execution implies about others, as a hunt's first tries: each is a witness,
// which shows its finding in the first execution that has it in view. Called by hunt() on its own
// thread, before its workers start.
#pragma once

#include "host/campaign/hunt/hunt_state.hpp"

namespace raddle {

// False: state.error says why.
bool try_witnesses(HuntState& state);

}  // namespace raddle
