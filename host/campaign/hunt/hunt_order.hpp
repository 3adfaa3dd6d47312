// Which of a hunt's candidates come first: in its attempts and in its report.
#pragma once

#include "host/campaign/hunt/hunt.hpp"

namespace raddle {

// By level, the failing ones first; then by kind, as everywhere (FindingKindEntry::rank).
bool comes_first(const HuntFinding& a, const HuntFinding& b);

}  // namespace raddle
