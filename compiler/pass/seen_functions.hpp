// Lists of a module's functions, in sections of the program: those of which the runtime sees
// everything, for the host (host/symbols/images/unseen_code.hpp), since what an image has besides
// was compiled by another compiler, or has something that the pass cannot see; and those that tell
// of all their locals, for the runtime (target/heap/gone_locals.hpp). Part of the late phase.
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
void list_functions(llvm::Module& module, const std::vector<llvm::Function*>& functions,
                    llvm::StringRef section);

}  // namespace raddle::pass
