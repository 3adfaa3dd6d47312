// Enter and exit of functions, as markers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/markers.hpp"

namespace raddle::pass {

// What is known of a function as such: its class if it has `this`, constructor or destructor,
// annotations. `number` is not filled in.
MarkerText describe_function(const llvm::Function& function, const DebugTypes& types);

// Puts markers at the entry and at every exit, exceptions included, and says so in attribute
// kMarked.
void insert_markers(llvm::Function& function, const MarkerText& text);

// Late: the same for a function that the early phase left alone.
void mark_function(llvm::Function& function, const DebugTypes& types);

// The sets that the early phase found, out of the module's metadata.
void read_sets(const llvm::Module& module, DebugTypes& types);

}  // namespace raddle::pass
