// Decisions before memory is given up. In an instrumented program to free a block is to write all
// of it: the order in which a thread frees it and others use it is a matter of the schedule.
#pragma once

#include <cstddef>
#include <cstdint>

#include "target/state/object.hpp"

namespace raddle {

void decide_to_free(const void* block, std::size_t bytes, std::uint64_t site);

// Before free() and its kin, on a controlled thread: a decision point, where the plan wants one.
// `site` is where the call comes from. The block may be anybody's afterwards, or nobody's.
inline void free_point(const void* block, std::size_t bytes, std::uint64_t site) {
  if (__builtin_expect(g_frees_decide, 0)) decide_to_free(block, bytes, site);
}

}  // namespace raddle
