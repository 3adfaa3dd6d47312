// FunctionHooks: whether an access is a memory fault, inline. What is neither in the heap of the
// runtime nor on a stack is left alone: a comparison. For the rest a byte of shadow says whether
// there may be a fault, and __raddle_check() whether there is one.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/pass/annotation_calls.hpp"
#include "compiler/pass/function_hooks.hpp"
#include "compiler/pass/known/atomic_calls.hpp"
#include "compiler/pass/known/call_table.hpp"
#include "protocol/hooks_abi.h"

namespace raddle::pass {

using namespace llvm;

// The optimiser reads through a reference before it knows whether the value is needed: after a call
// that has freed the object, say. Only a choice uses the value then, and the program does not read
// there.
bool may_be_speculative(const LoadInst& load) {
  const std::uint64_t bytes = load.getFunction()->getDataLayout().getTypeStoreSize(load.getType());
  if (bytes > sizeof(std::uint64_t)) return false;
  const bool chosen = llvm::all_of(
      load.users(), [](const User* user) { return isa<SelectInst>(user) || isa<PHINode>(user); });
  return chosen && isDereferenceablePointer(load.getPointerOperand(), load.getType(),
                                            load.getFunction()->getDataLayout());
}

bool FunctionHooks::may_be_heap(const Value* pointer) {
  if (!shared(pointer)) return false;
  const Value* object = getUnderlyingObject(pointer, 0);
  return !isa<AllocaInst>(object) && !isa<GlobalValue>(object) && !isa<Constant>(object);
}

bool FunctionHooks::check_access(Instruction* access, Value* pointer, Type* type, Align align,
                                 bool writes) {
  if (!may_be_heap(pointer)) return false;
  const TypeSize size = function_.getDataLayout().getTypeStoreSize(type);
  if (size.isScalable() || size.isZero()) return false;
  const std::uint64_t bytes = size.getFixedValue();
  constexpr std::uint64_t kGranule = 8;
  // The first and the last byte tell for what is no longer than the space between two blocks.
  constexpr std::uint64_t kBetweenBlocks = 64;
  LLVMContext& context = function_.getContext();
  MDNode* unlikely = MDBuilder(context).createUnlikelyBranchWeights();
  HookBuilder builder = before(access);
  if (bytes > kBetweenBlocks) {
    hooks_.call(builder, "check_range",
                {pointer, builder.getInt64(bytes), builder.getInt32(writes)});
    return true;
  }
  Value* address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  Value* number = builder.CreateOr(builder.CreateLShr(address, RADDLE_AREA_SHIFT),
                                   builder.getInt64(RADDLE_AREA_BITS));
  Value* judged = builder.CreateICmpEQ(number, builder.getInt64(RADDLE_AREA_NUMBER));
  Instruction* then = SplitBlockAndInsertIfThen(judged, access, false);
  HookBuilder look(then, access->getDebugLoc());
  const auto shadow_of = [&](Value* of) -> Value* {
    Value* at = look.CreateIntToPtr(look.CreateLShr(of, 3), look.getPtrTy());
    return look.CreateAlignedLoad(look.getInt8Ty(), at, Align(1));
  };
  Value* shadow = shadow_of(address);
  const bool in_one = bytes <= kGranule && align.value() >= bytes;
  if (!in_one)
    shadow = look.CreateOr(shadow, shadow_of(look.CreateAdd(address, look.getInt64(bytes - 1))));
  Value* suspicious = look.CreateICmpNE(shadow, look.getInt8(0));
  Instruction* cold = SplitBlockAndInsertIfThen(suspicious, then, false, unlikely);
  HookBuilder judge(cold, access->getDebugLoc());
  hooks_.call(judge, "check", {pointer, judge.getInt64(bytes), judge.getInt32(writes)});
  return true;
}

bool FunctionHooks::check_call(CallBase* call) {
  if (auto* memory = dyn_cast<AnyMemTransferInst>(call)) {
    hook_range(call, memory->getRawSource(), memory->getLength(), EventKind::read_range, 0);
    hook_range(call, memory->getRawDest(), memory->getLength(), EventKind::write_range, 0);
    return true;
  }
  if (auto* fill = dyn_cast<AnyMemSetInst>(call)) {
    hook_range(call, fill->getRawDest(), fill->getLength(), EventKind::write_range, 0);
    return true;
  }
  if (isa<IntrinsicInst>(call) || is_annotation(*call) || call->isInlineAsm() || atomic_call(*call))
    return false;
  const LibraryCall* known = library_call(*call);
  if (known == nullptr) return false;
  bool any = false;
  for (const Touch& touch : known->touches) {
    if (touch.argument == kNone || !may_be_heap(call->getArgOperand(touch.argument))) continue;
    hook_touch(call, touch, true);
    any = true;
  }
  return any;
}

bool FunctionHooks::insert_checks() {
  bool any = false;
  for (CallBase* call : calls_) any |= check_call(call);
  for (LoadInst* load : loads_) {
    if (may_be_speculative(*load)) continue;
    any |= check_access(load, load->getPointerOperand(), load->getType(), load->getAlign(), false);
  }
  for (StoreInst* store : stores_)
    any |= check_access(store, store->getPointerOperand(), store->getValueOperand()->getType(),
                        store->getAlign(), true);
  any |= tell_of_locals();
  return any;
}

}  // namespace raddle::pass
