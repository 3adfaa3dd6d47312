// Whether two pending operations are about the same memory.
#pragma once

#include "protocol/ops.hpp"
#include "protocol/pending.hpp"

namespace raddle {

inline std::uint64_t bytes_of(const Pending& p) {
  return p.op == OpKind::memory_free ? freed_size(p) : touched_size(p);
}

// The same object, or bytes in common.
inline bool touch(const Pending& a, const Pending& b) {
  if (a.object == b.object) return a.object != kNoObject;
  if (a.extra == 0 || b.extra == 0) return false;
  return touched_address(a) < touched_address(b) + bytes_of(b) &&
         touched_address(b) < touched_address(a) + bytes_of(a);
}

}  // namespace raddle
