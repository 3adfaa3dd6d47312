// Reads annotate attributes of the program's source (include/raddle/annotations.hpp). Part of the
// early phase.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/pass/debug_types.hpp"

namespace raddle::pass {

// Turns annotations of functions into the attributes kIgnored, kAtomicAnnotation, kUnitAnnotation,
// and those of global variables into kGlobalSetMetadata.
void read_function_annotations(llvm::Module& module);

// Moves annotations of fields from the address computations to the metadata of the module.
void read_field_annotations(llvm::Module& module, DebugTypes& types);

}  // namespace raddle::pass
