#include "compiler/pass/allocated_class.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/pass/known/call_table.hpp"
#include "compiler/pass/names.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

// The T of std::allocator<T>, if the function is a member of it or of one of its bases.
const DIType* allocator_of(const Function& function) {
  const DICompositeType* cls = member_of(function.getSubprogram());
  if (!cls || !in_std(cls)) return nullptr;
  StringRef name = cls->getName().split('<').first;
  if (name != "allocator" && name != "new_allocator" && name != "__new_allocator" &&
      name != "__allocator") {
    return nullptr;
  }
  for (const DINode* node : cls->getTemplateParams()) {
    if (const auto* parameter = dyn_cast_or_null<DITemplateTypeParameter>(node)) {
      return parameter->getType();
    }
  }
  return nullptr;
}

// The type that the function uses the allocated pointer as, also through a local variable.
const DIType* used_as(const Value* pointer, ValueTypes& values, int depth) {
  if (depth > 3) return nullptr;
  for (const User* user : pointer->users()) {
    if (const auto* call = dyn_cast<CallBase>(user)) {
      const Function* callee = call->getCalledFunction();
      if (!callee || call->arg_size() == 0 || call->getArgOperand(0) != pointer) continue;
      const DISubprogram* subprogram = callee->getSubprogram();
      const DICompositeType* cls = member_of(subprogram);
      if (cls && has_object(subprogram) &&
          subprogram->getName().split('<').first == cls->getName().split('<').first) {
        return cls;
      }
    }
    const auto* store = dyn_cast<StoreInst>(user);
    if (store && store->getValueOperand() == pointer) {
      if (const DIType* type = values.stored_pointee(store->getPointerOperand())) return type;
    }
    if (isa<PHINode>(user) || isa<SelectInst>(user)) {
      if (const DIType* type = used_as(user, values, depth + 1)) return type;
    }
  }
  return nullptr;
}

}  // namespace

void name_allocations(Function& function, ValueTypes& values, const DebugTypes& types) {
  LLVMContext& context = function.getContext();
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || !allocates(*call)) continue;
      const DIType* type = allocator_of(function);
      if (!type) type = used_as(call, values, 0);
      const DICompositeType* cls = types.definition(as_class(type));
      if (!cls) continue;
      auto* size = ConstantInt::get(Type::getInt32Ty(context), size_of(cls));
      call->setMetadata(kAllocateMetadata,
                        MDNode::get(context, {MDString::get(context, types.name(cls)),
                                              ConstantAsMetadata::get(size)}));
    }
  }
}

}  // namespace raddle::pass
