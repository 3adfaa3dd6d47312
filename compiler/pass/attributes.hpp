// Annotate attributes of the program's source (include/raddle/annotations.hpp), early.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/pass/debug_types.hpp"

namespace raddle::pass {

// Turns annotations of functions into attributes kIgnored, kAtomicAnnotation and kUnitAnnotation.
void read_function_annotations(llvm::Module& module);

// Takes the annotations of fields out of the address computations, into the module's metadata.
void read_field_annotations(llvm::Module& module, DebugTypes& types);

}  // namespace raddle::pass
