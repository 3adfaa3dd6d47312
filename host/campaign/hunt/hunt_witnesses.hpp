// What one passing execution implies about others, as a hunt's first tries: each is a witness,
// which shows its finding in the first execution that has it in view. Called by hunt() on its own
// thread, before its workers start.
#pragma once

#include "host/campaign/hunt/hunt.hpp"
#include "host/campaign/predict/predict.hpp"

namespace raddle {

// `until`: no question is asked after that. The result has no findings and a `divergence` if no
// execution passed.
Result<PredictResult> predict_for_hunt(const HuntOptions& options, const RunOptions& running,
                                       Clock::time_point until);

// The candidate is confirmed by its witness; one that profiling did not see is new, at the end of
// the list.
void add_witness(std::vector<HuntFinding>& findings, PredictedFinding one);

}  // namespace raddle
