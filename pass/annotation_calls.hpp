// Calls of the functions that include/raddle/annotations.hpp declares and nobody defines.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace raddle::pass {

bool is_annotation(const llvm::CallBase& call);

// Where a function runs as written they are nothing.
void remove_annotations(llvm::Function& function);

}  // namespace raddle::pass
