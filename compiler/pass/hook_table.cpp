#include "compiler/pass/hook_table.hpp"

#include "compiler/pass/names.hpp"
#include "protocol/hooks_abi.h"

namespace raddle::pass {

using namespace llvm;

static_assert(offsetof(RaddleState, tracing) == HookTable::kTracing);
static_assert(offsetof(RaddleState, control) == HookTable::kControl);

CallInst* HookTable::call(IRBuilder<>& builder, StringRef name, ArrayRef<Value*> arguments,
                          Type* result) {
  SmallVector<Type*, 5> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  auto* type = FunctionType::get(result ? result : builder.getVoidTy(), types, false);
  // The versions without hooks call these too, and they must not cost that code its registers
  // (protocol/hooks_abi.h).
  const bool unintrusive =
      name == "atomic_point" || name == "check" || name == "local_begins" || name == "local_ends";
  const auto convention = unintrusive ? CallingConv::PreserveMost : CallingConv::C;
  std::string full = ("__raddle_" + name).str();
  auto* function = dyn_cast<Function>(module_.getOrInsertFunction(full, type).getCallee());
  if (function->isDeclaration()) {
    function->setCallingConv(convention);
    function->setVisibility(GlobalValue::HiddenVisibility);
    function->setDSOLocal(true);
    function->setDoesNotThrow();
  }
  CallInst* call = builder.CreateCall(function, arguments);
  call->setCallingConv(convention);
  call->setDoesNotThrow();
  return call;
}

Value* HookTable::value(IRBuilder<>& builder, unsigned offset) {
  auto* type = ArrayType::get(builder.getInt8Ty(), sizeof(RaddleState));
  Constant* state = module_.getOrInsertGlobal(kStateName, type);
  Value* address = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), state, offset);
  return builder.CreateAlignedLoad(builder.getInt8Ty(), address, Align(1));
}

Value* HookTable::flag(IRBuilder<>& builder, unsigned offset) {
  return builder.CreateICmpNE(value(builder, offset), builder.getInt8(0));
}

}  // namespace raddle::pass
