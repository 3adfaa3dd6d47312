// The entry of the plugin: tells clang where in its pipeline the phases run. The places exist at
// every level of optimisation.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "compiler/pass/early_phase.hpp"
#include "compiler/pass/late_phase.hpp"
#include "compiler/pass/weave/weave_phase.hpp"

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "raddle", RADDLE_VERSION, [](llvm::PassBuilder& builder) {
            if (raddle::pass::weaves()) {
              builder.registerPipelineStartEPCallback(
                  [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                    passes.addPass(raddle::pass::WeavePhase());
                  });
            }
            if (raddle::pass::only_weaves()) return;
            builder.registerPipelineEarlySimplificationEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(raddle::pass::EarlyPhase());
                });
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                  passes.addPass(raddle::pass::LatePhase(level != llvm::OptimizationLevel::O0));
                });
          }};
}
