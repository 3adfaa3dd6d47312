// In which functions and atomic blocks each thread is, told by the hooks of an instrumented program
// while RaddleState::watching is set. Strategies see the calling context in Place::context, and
// hear of blocks through Strategy::on_block().
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"

namespace raddle {

// RaddleState::scope.
void note_scope(const RaddleSite* site, const void* object, std::uint64_t value);

}  // namespace raddle
