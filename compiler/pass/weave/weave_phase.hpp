// Weaves the events of properties (prevent/) into a program: runs before everything else, so that
// no call is inlined yet. The driver names the table of events in the environment variable
// RADDLE_MOP_TABLE; without it there is nothing to do.
#pragma once

#include <llvm/IR/PassManager.h>

namespace raddle::pass {

class WeavePhase : public llvm::PassInfoMixin<WeavePhase> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// Whether the driver wants events to be woven; whether it wants nothing else (--mop alone).
bool weaves();
bool only_weaves();

}  // namespace raddle::pass
