// What one passing execution implies about others, as a hunt's first tries: each is a witness,
// which shows its finding in the first execution that has it in view. Called by hunt() on its own
// thread, before its workers start.
#pragma once

#include <vector>

#include "host/campaign/hunt/hunt_state.hpp"
#include "host/campaign/predict/predict.hpp"

namespace raddle {

// False: state.error says why.
bool try_witnesses(HuntState& state);

// The candidate is confirmed by its witness; one that profiling did not see is new, at the end of
// the list.
void add_witness(std::vector<HuntFinding>& findings, PredictedFinding one);

}  // namespace raddle
