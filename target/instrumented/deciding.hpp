// Which plain accesses of an instrumented program are decision points, as the plan says: the sites
// that raddle-cc put into the program are marked there, code addresses (-fsanitize=thread) are
// looked up here.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"
#include "protocol/shared_region.hpp"

namespace raddle {

// The plan makes decision points of plain accesses, or wants to know in which functions and blocks
// threads are: functions must run with hooks, also when nobody records.
bool needs_hooks(const SharedRegion& region);

// Calling contexts of a candidate's steps, or blocks that only hooks show.
bool needs_scopes(const SharedRegion& region);

// At the beginning of an execution, in its own process. `state` is null without raddle-cc.
void start_deciding(const SharedRegion& region, RaddleState* state);

// Plain accesses at some code addresses are decision points.
extern bool g_code_decides;
bool decides_at(std::uint64_t code);

}  // namespace raddle
