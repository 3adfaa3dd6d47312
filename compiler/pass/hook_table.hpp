// The hooks of protocol/hooks_abi.h as callees, declared when first used.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <initializer_list>

namespace raddle::pass {

class HookTable {
 public:
  explicit HookTable(llvm::Module& module) : module_(module) {}

  // Calls a hook with these arguments; `name` without the prefix "__raddle_". Integers are extended
  // or cut to what the hook takes only where the types already agree with abi.h.
  llvm::CallInst* call(llvm::IRBuilder<>& builder, llvm::StringRef name,
                       llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result = nullptr);

  // Loads a flag of __raddle_state and compares it with 0.
  llvm::Value* flag(llvm::IRBuilder<>& builder, unsigned offset);

  static constexpr unsigned kTracing = 0;
  static constexpr unsigned kControl = 1;

 private:
  llvm::Module& module_;
};

}  // namespace raddle::pass
