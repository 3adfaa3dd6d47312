// Runs before inlining. Marks the functions that may be units of work, and keeps what later passes
// would hide: the names of accesses and the classes of allocations.
#pragma once

#include <llvm/IR/PassManager.h>

namespace raddle::pass {

class EarlyPhase : public llvm::PassInfoMixin<EarlyPhase> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace raddle::pass
