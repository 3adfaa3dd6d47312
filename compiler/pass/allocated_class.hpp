// Finds the class of the object that a function allocates. The early phase can still see it: from
// the constructor that the function calls, from the allocator that the function belongs to, or from
// the variable that receives the pointer.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/value_types.hpp"

namespace raddle::pass {

// Adds kAllocateMetadata to the calls that allocate.
void name_allocations(llvm::Function& function, ValueTypes& values, const DebugTypes& types);

}  // namespace raddle::pass
