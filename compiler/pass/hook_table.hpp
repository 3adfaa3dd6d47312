// Calls of the hooks of protocol/hooks_abi.h. Declares a hook when it is first used.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <initializer_list>

namespace raddle::pass {

class HookTable {
 public:
  explicit HookTable(llvm::Module& module) : module_(module) {}

  // Calls the hook "__raddle_" + name. The types of the arguments must be those of
  // protocol/hooks_abi.h: this function converts nothing.
  llvm::CallInst* call(llvm::IRBuilder<>& builder, llvm::StringRef name,
                       llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result = nullptr);

  // Loads a byte of __raddle_state.
  llvm::Value* value(llvm::IRBuilder<>& builder, unsigned offset);
  // Loads a flag of __raddle_state and tells whether it is set.
  llvm::Value* flag(llvm::IRBuilder<>& builder, unsigned offset);

  static constexpr unsigned kTracing = 0;
  static constexpr unsigned kControl = 1;

 private:
  llvm::Module& module_;
};

}  // namespace raddle::pass
