// An exploration over the causal model from its first execution to its end: what explore() is for
// the other strategies, with one executor.
#pragma once

#include "host/causal/question.hpp"
#include "host/explore/explore.hpp"

namespace raddle {

// Of the options, `search` and `journal` are not used. The executor shows values. The result has
// `causal`; it is complete if every question had the answer no.
Result<ExploreResult> explore_causally(Executor& executor, const ExploreOptions& options,
                                       const causal::Rules& rules, const ExploreEvents& events);

}  // namespace raddle
