// Runs after optimisation. Gives every function a version with hooks (late_phase.cpp says how).
#pragma once

#include <llvm/IR/PassManager.h>

namespace raddle::pass {

class LatePhase : public llvm::PassInfoMixin<LatePhase> {
 public:
  explicit LatePhase(bool optimise) : optimise_(optimise) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  bool optimise_;
};

}  // namespace raddle::pass
