// Which of a hunt's candidates come first: in its attempts and in its report.
#pragma once

#include "host/campaign/hunt/hunt.hpp"

namespace raddle {

// By level, the failing ones first; then by how sure it is to be a mistake: what stops the program,
// what the language forbids, what really left a state in the middle, then what may be meant.
bool comes_first(const HuntCandidate& a, const HuntCandidate& b);

}  // namespace raddle
