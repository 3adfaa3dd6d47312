// Decision points before atomic operations.
#pragma once

#include <llvm/IR/Instructions.h>

#include "compiler/pass/hook_table.hpp"

namespace raddle::pass {

// The address that a load, a store or an atomic operation uses; null for a fence and everything
// else.
const llvm::Value* atomic_pointer(const llvm::Instruction* operation);

// Inserts a decision point before the operation. While the runtime is in control, it decides there
// which thread goes next.
void insert_atomic_point(llvm::Instruction* operation, llvm::Constant* site, HookTable& hooks);

}  // namespace raddle::pass
