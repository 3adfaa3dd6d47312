// Calls of the functions that include/raddle/annotations.hpp declares. No library defines them: the
// pass replaces every call.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace raddle::pass {

bool is_annotation(const llvm::CallBase& call);

// Follows inlining until the location is outside the header of the annotations, which is not the
// program's own code.
const llvm::DILocation* outside_annotations(const llvm::DILocation* location);

// The version of a function without hooks has no use for the calls.
void remove_annotations(llvm::Function& function);

}  // namespace raddle::pass
