// The class of what a function allocates, early, where it can be seen: from the constructor that is
// called for it, the allocator that it is in, or the variable that it goes to.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/value_types.hpp"

namespace raddle::pass {

// Leaves kAllocateMetadata at the calls that allocate.
void name_allocations(llvm::Function& function, ValueTypes& values, const DebugTypes& types);

}  // namespace raddle::pass
