#include "compiler/pass/seen_functions.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/pass/known/assembly.hpp"
#include "compiler/pass/names.hpp"

namespace raddle::pass {

using namespace llvm;

bool has_opaque_assembly(const Function& function) {
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call != nullptr && call->isInlineAsm() &&
          read_assembly(*call).kind == AssemblyKind::kOpaque) {
        return true;
      }
    }
  }
  return false;
}

void mark_hidden_synchronisation(Module& module) {
  for (const Function& function : module) {
    for (const Instruction& instruction : instructions(function)) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || !call->isInlineAsm() || !read_assembly(*call).may_synchronise) continue;
      Type* byte = Type::getInt8Ty(module.getContext());
      auto* mark = new GlobalVariable(module, byte, true, GlobalValue::PrivateLinkage,
                                      ConstantInt::get(byte, 1), "__raddle_assembly");
      mark->setSection(kAssemblySection);
      appendToCompilerUsed(module, {mark});
      return;
    }
  }
}

// An entry is the distance from itself to the function. It goes with the function: with its comdat
// when another module's copy is taken, and as an associated section when the linker drops it.
void list_functions(Module& module, const std::vector<Function*>& functions, StringRef section) {
  LLVMContext& context = module.getContext();
  Type* word = Type::getInt32Ty(context);
  Type* address = Type::getInt64Ty(context);
  std::vector<GlobalValue*> entries;
  for (Function* function : functions) {
    auto* entry = new GlobalVariable(module, word, true, GlobalValue::PrivateLinkage, nullptr,
                                     "__raddle_function");
    // A name of its own: the function's may be bound elsewhere when the program starts.
    auto* here = GlobalAlias::create(function->getFunctionType(), 0, GlobalValue::PrivateLinkage,
                                     "__raddle_here", function, &module);
    entry->setInitializer(
        ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(here, address),
                                                    ConstantExpr::getPtrToInt(entry, address)),
                               word));
    entry->setAlignment(Align(4));
    entry->setSection(section);
    if (function->hasComdat()) entry->setComdat(function->getComdat());
    entry->setMetadata(LLVMContext::MD_associated,
                       MDNode::get(context, ValueAsMetadata::get(function)));
    entries.push_back(entry);
  }
  appendToCompilerUsed(module, entries);
}

}  // namespace raddle::pass
