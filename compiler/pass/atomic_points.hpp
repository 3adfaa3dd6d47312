// Decision points before atomic operations.
#pragma once

#include <llvm/IR/Instructions.h>

#include "compiler/pass/hook_table.hpp"

namespace raddle::pass {

// What a load, a store or an atomic operation operates on; null for a fence and all else.
const llvm::Value* atomic_pointer(const llvm::Instruction* operation);

// Before the operation: if the runtime is in control, it decides.
void insert_atomic_point(llvm::Instruction* operation, llvm::Constant* site, HookTable& hooks);

}  // namespace raddle::pass
