// Calls of the functions that include/raddle/annotations.hpp declares and nobody defines.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace raddle::pass {

bool is_annotation(const llvm::CallBase& call);

// The place that is not in the annotations' own header: what is in there is not the program's.
const llvm::DILocation* outside_annotations(const llvm::DILocation* location);

// Where a function runs as written they are nothing.
void remove_annotations(llvm::Function& function);

}  // namespace raddle::pass
