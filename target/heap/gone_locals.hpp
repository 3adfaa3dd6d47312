// Locals that are gone, in instrumented programs: their scope or their function has ended. The code
// that raddle-cc made tells of each local whose address other code may have (compiler/pass/
// local_lives.cpp): what is gone stays in the shadow of the stacks (protocol/hooks_abi.h) until a
// new local comes to lie there.
//
// The shadow alone proves nothing: code without hooks has frames, too, and does not tell of them.
// instrumented/stack_faults.hpp decides.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"

namespace raddle {

class GoneLocals {
 public:
  static bool may_be_on_stack(std::uint64_t address) {
    return (address >> RADDLE_AREA_SHIFT | RADDLE_STACK_BITS) == RADDLE_AREA_NUMBER;
  }

  // An execution begins, in a process that has had none or was put back since. The heap of
  // guarded_heap.hpp is mapped, with the shadow.
  RaddleLocals* start();

  // The first byte of a range on a stack that belongs to a local that is gone; 0 if there is none.
  std::uint64_t first_gone(std::uint64_t begin, std::uint64_t bytes) const;
  // What is known of the local at such a byte; null: nothing, it was long ago.
  const RaddleGoneLocal* find(std::uint64_t address) const;
};

extern GoneLocals g_gone_locals;

}  // namespace raddle
