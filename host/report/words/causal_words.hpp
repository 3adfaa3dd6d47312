// A causal exploration in words.
#pragma once

#include <string>
#include <vector>

#include "host/explore/causal_problem.hpp"

namespace raddle {

// Why the program does not fit the model: a sentence or two, empty for kNone.
std::string problem_text(const CausalProblem& problem);

// What was not seen, because library functions did it: host/symbols/images/library_calls.hpp.
std::string library_calls_text(const std::vector<std::string>& calls);

}  // namespace raddle
