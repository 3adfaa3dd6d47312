// Puts markers at the entry and the exits of functions.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/markers.hpp"

namespace raddle::pass {

// Describes a function without looking at its body: its class if it has `this`, whether it is a
// constructor or destructor, its annotations. Leaves `number` open.
MarkerText describe_function(const llvm::Function& function, const DebugTypes& types);

// Puts markers at the entry and at every exit, exceptions included, and sets attribute kMarked.
void insert_markers(llvm::Function& function, const MarkerText& text);

// Whether something in the function may throw through it.
bool may_unwind(const llvm::Function& function);
// Gives a function that is to have cleanups the personality of its language.
void choose_personality(llvm::Function& function);
// The same, also without debug information.
void need_personality(llvm::Function& function);

// The late phase does the same for a function that the early phase left alone.
void mark_function(llvm::Function& function, const DebugTypes& types);

// Reads the atomic sets that the early phase put into the metadata of the module.
void read_sets(const llvm::Module& module, DebugTypes& types);

}  // namespace raddle::pass
