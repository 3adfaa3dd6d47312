// Where a thread was when it announced an operation, for explorers that go by code: the innermost
// frames, as code addresses. Several operations share one.
#pragma once

#include <cstdint>

#include "protocol/report.hpp"

namespace raddle {

struct EnabledStack {
  std::uint32_t frames;
  std::uint32_t hash;
  std::uint64_t pc[kMaxStepFrames];  // innermost first
};

// Different ones that one execution can have; others are left out, as if nobody were anywhere.
inline constexpr std::uint32_t kMaxEnabledStacks = 4096;
inline constexpr std::uint32_t kNoStack = ~std::uint32_t{0};

}  // namespace raddle
