// What the strategy `atom` says of the static violations of an execution, besides
// Realised::count: which there were. Both are in Realised::steps, behind the steps of two
// violations (three each): a mark of the set of those that were possible, and of those that came
// about. Equal marks mean equal sets; 0: none.
#pragma once

#include <cstdint>

#include "protocol/aim.hpp"

namespace raddle {

inline constexpr std::uint32_t kStepsOfViolation = 3;
inline constexpr std::uint32_t kWarnedMark = 6;
inline constexpr std::uint32_t kViolatedMark = 7;
static_assert(2 * kStepsOfViolation <= kWarnedMark && kViolatedMark < kMaxRealised);

}  // namespace raddle
