// Keeps the optimiser from reading what the program does not read.
//
// Where a load cannot trap, LLVM moves it out of the branch that it is in, and out of a loop: a
// read that nobody uses does no harm. A hook there would tell of a read that the source does not
// have, and of a race that is none (`if (ready.load()) use(data);`). The optimiser leaves such
// loads where they are in functions that are to be checked by ThreadSanitizer, and makes no stores
// up.
#pragma once

#include <llvm/IR/Module.h>

namespace raddle::pass {

// Before the optimiser: says so of all functions, since it inlines none into another kind.
void forbid_speculation(llvm::Module& module);

// After it, before code is generated: takes back what the other did.
void allow_speculation(llvm::Module& module);

}  // namespace raddle::pass
