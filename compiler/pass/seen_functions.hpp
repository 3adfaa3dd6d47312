// The functions of a module of which the runtime sees everything: a list of their addresses in a
// section of the program, for the host (host/symbols/images/unseen_code.hpp). What an image has
// besides was compiled by another compiler, or has something that the pass cannot see. Part of the
// late phase.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

namespace raddle::pass {

// Inline assembly that touches memory and that nobody can read (known/assembly.hpp): an atomic
// operation or a futex would be hidden in it.
bool has_opaque_assembly(const llvm::Function& function);

// Such assembly of the module may order threads: the host finds that in the file.
void mark_hidden_synchronisation(llvm::Module& module);

// Adds an entry for each of them.
void list_seen_functions(llvm::Module& module, const std::vector<llvm::Function*>& functions);

}  // namespace raddle::pass
