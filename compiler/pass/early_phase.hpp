// Before inlining: marks functions that may be units of work, and writes down what will not be
// visible later.
#pragma once

#include <llvm/IR/PassManager.h>

namespace raddle::pass {

class EarlyPhase : public llvm::PassInfoMixin<EarlyPhase> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace raddle::pass
