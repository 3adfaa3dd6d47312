// FunctionHooks: atomic operations and fences. In the version with hooks they are sequentially
// consistent. Both versions of a function have decision points before them.
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "compiler/pass/atomic_points.hpp"
#include "compiler/pass/function_hooks.hpp"
#include "compiler/pass/known/assembly.hpp"
#include "compiler/pass/known/atomic_calls.hpp"
#include "protocol/site.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

MemoryOrder order_of(AtomicOrdering ordering) {
  switch (ordering) {
    case AtomicOrdering::NotAtomic:
    case AtomicOrdering::Unordered:
    case AtomicOrdering::Monotonic:
      return MemoryOrder::kRelaxed;
    case AtomicOrdering::Acquire:
      return MemoryOrder::kAcquire;
    case AtomicOrdering::Release:
      return MemoryOrder::kRelease;
    case AtomicOrdering::AcquireRelease:
      return MemoryOrder::kAcqRel;
    case AtomicOrdering::SequentiallyConsistent:
      return MemoryOrder::kSeqCst;
  }
  return MemoryOrder::kSeqCst;
}

// The other flags are those of plain accesses.
void set_order(SiteText& text, MemoryOrder order) {
  text.flags = static_cast<std::uint8_t>((text.flags & kSiteNoNumber) | unsigned(order));
}

constexpr AtomicOrdering kStrong = AtomicOrdering::SequentiallyConsistent;

// A hook takes the low half of an integer of more than 64 bits.
bool has_word(Type* type) {
  return type->isIntegerTy() || type->isPointerTy() || type->isFloatingPointTy();
}

}  // namespace

void insert_atomic_point(Instruction* operation, Constant* site, HookTable& hooks) {
  IRBuilder<> test(operation);
  Value* control = hooks.flag(test, HookTable::kControl);
  MDNode* weights = MDBuilder(operation->getContext()).createUnlikelyBranchWeights();
  IRBuilder<> builder(SplitBlockAndInsertIfThen(control, operation, false, weights));
  builder.SetCurrentDebugLocation(operation->getDebugLoc());
  Value* pointer = const_cast<Value*>(atomic_pointer(operation));
  if (!pointer) pointer = ConstantPointerNull::get(builder.getPtrTy());
  hooks.call(builder, "atomic_point", {site, pointer});
}

const Value* atomic_pointer(const Instruction* operation) {
  if (const auto* load = dyn_cast<LoadInst>(operation)) return load->getPointerOperand();
  if (const auto* store = dyn_cast<StoreInst>(operation)) return store->getPointerOperand();
  if (const auto* update = dyn_cast<AtomicRMWInst>(operation)) return update->getPointerOperand();
  if (const auto* compare = dyn_cast<AtomicCmpXchgInst>(operation)) {
    return compare->getPointerOperand();
  }
  if (const auto* call = dyn_cast<CallBase>(operation)) {
    if (call->isInlineAsm()) return read_assembly(*call).pointer;
    if (auto known = atomic_call(*call)) return call->getArgOperand(known->pointer);
  }
  return nullptr;
}

void FunctionHooks::hook_atomic_call(CallBase* call) {
  AtomicCall known = *atomic_call(*call);
  Value* pointer = call->getArgOperand(known.pointer);
  if (!shared(pointer)) return;
  SiteText text = names_.describe(*call, pointer, known.size ? known.size : 1);
  auto* order = dyn_cast<ConstantInt>(call->getArgOperand(known.order));
  set_order(text, order ? MemoryOrder(order->getZExtValue() & kOrderMask) : MemoryOrder::kSeqCst);
  Constant* where = site(text, known.kind, *call);
  atomic_sites_[call] = where;
  call->setArgOperand(known.order, ConstantInt::get(call->getArgOperand(known.order)->getType(),
                                                    unsigned(MemoryOrder::kSeqCst)));
  HookBuilder builder = after(call);
  // The first 8 bytes of a value in memory, if it has as many.
  auto in_memory = [&](int argument) -> Value* {
    if (known.size < 8) return builder.getInt64(0);
    return builder.CreateAlignedLoad(builder.getInt64Ty(), call->getArgOperand(argument), Align(1));
  };
  Value* read = builder.getInt64(0);
  Value* written = builder.getInt64(0);
  if (known.read >= 0) {
    read = in_memory(known.read);
  } else if (!known.by_address && call->getType()->isIntegerTy()) {
    read = as_word(builder, call);
  }
  if (known.written >= 0) {
    written = known.by_address ? in_memory(known.written)
                               : as_word(builder, call->getArgOperand(known.written));
  }
  Value* success = builder.getInt32(1);
  if (known.kind == EventKind::atomic_compare && call->getType()->isIntegerTy()) {
    success = builder.CreateZExtOrTrunc(call, builder.getInt32Ty());
  }
  hooks_.call(builder, "atomic", {where, pointer, read, written, success});
  insert_atomic_point(call, where, hooks_);
}

void FunctionHooks::hook_atomic(Instruction* operation) {
  const DataLayout& layout = function_.getDataLayout();
  auto size = [&](Type* type) { return layout.getTypeStoreSize(type).getFixedValue(); };
  Value* pointer = const_cast<Value*>(atomic_pointer(operation));
  auto* load = dyn_cast<LoadInst>(operation);
  auto* store = dyn_cast<StoreInst>(operation);
  auto* update = dyn_cast<AtomicRMWInst>(operation);
  auto* compare = dyn_cast<AtomicCmpXchgInst>(operation);
  auto* fence = dyn_cast<FenceInst>(operation);
  EventKind kind = EventKind::fence;
  AtomicOrdering ordering = kStrong;
  Type* type = nullptr;
  if (load) {
    kind = EventKind::atomic_load;
    ordering = load->getOrdering();
    type = load->getType();
  } else if (store) {
    kind = EventKind::atomic_store;
    ordering = store->getOrdering();
    type = store->getValueOperand()->getType();
  } else if (update) {
    kind = EventKind::atomic_update;
    ordering = update->getOrdering();
    type = update->getType();
  } else if (compare) {
    kind = EventKind::atomic_compare;
    ordering = compare->getMergedOrdering();
    type = compare->getNewValOperand()->getType();
  } else {
    ordering = fence->getOrdering();
  }
  if (pointer && !shared(pointer)) return;
  SiteText text = pointer ? names_.describe(*operation, pointer, size(type)) : SiteText{};
  set_order(text, order_of(ordering));
  Constant* where = site(text, kind, *operation);
  atomic_sites_[operation] = where;

  if (load) load->setOrdering(kStrong);
  if (store) store->setOrdering(kStrong);
  if (update) update->setOrdering(kStrong);
  if (compare) {
    compare->setSuccessOrdering(kStrong);
    compare->setFailureOrdering(kStrong);
  }
  if (fence) fence->setOrdering(kStrong);

  HookBuilder builder = after(operation);
  if (fence) {
    hooks_.call(builder, "fence", {where});
  } else {
    Value* zero = builder.getInt64(0);
    Value* read = zero;
    Value* written = zero;
    Value* success = builder.getInt32(1);
    bool known = has_word(type);
    if (load) {
      if (known) read = as_word(builder, load);
    } else if (store) {
      if (known) written = as_word(builder, store->getValueOperand());
    } else if (update) {
      if (known) {
        read = as_word(builder, update);
        written = as_word(builder, buildAtomicRMWValue(update->getOperation(), builder, update,
                                                       update->getValOperand()));
      }
    } else {
      Value* before_it = builder.CreateExtractValue(compare, 0);
      read = as_word(builder, before_it);
      written = as_word(builder, compare->getNewValOperand());
      success = builder.CreateZExt(builder.CreateExtractValue(compare, 1), builder.getInt32Ty());
    }
    hooks_.call(builder, "atomic", {where, pointer, read, written, success});
  }
  insert_atomic_point(operation, where, hooks_);
}

}  // namespace raddle::pass
