#include "compiler/pass/function_hooks.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/pass/annotation_calls.hpp"
#include "compiler/pass/known/call_table.hpp"
#include "compiler/pass/names.hpp"

namespace raddle::pass {

using namespace llvm;

FunctionHooks::FunctionHooks(Function& function, HookMode mode, const DebugTypes& types,
                             SiteTable& sites, HookTable& hooks)
    : function_(function), mode_(mode), sites_(sites), hooks_(hooks), names_(function, types) {
  dominators_.recalculate(function);
}

bool FunctionHooks::shared(const Value* pointer) {
  if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError()) return false;
  const Value* object = getUnderlyingObject(pointer, 0);
  const auto* argument = dyn_cast<Argument>(object);
  if (isa<AllocaInst>(object) || (argument && argument->hasByValAttr())) {
    auto [at, fresh] = captured_.try_emplace(object, false);
    if (fresh) {
      at->second = PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
    }
    return at->second;
  }
  if (const auto* global = dyn_cast<GlobalVariable>(object)) {
    StringRef name = global->getName();
    return !global->isConstant() && !name.starts_with("__raddle") && !name.starts_with("llvm.") &&
           !name.starts_with("__llvm") && !name.starts_with("__profc") &&
           !name.starts_with("_ZTV") && !name.starts_with("_ZTT");
  }
  return !isa<ConstantData>(object) || isa<ConstantPointerNull>(object);
}

void FunctionHooks::collect(Instruction& instruction) {
  const DILocation* location = instruction.getDebugLoc().get();
  if (!isa<CallBase>(instruction) && outside_annotations(location) != location) return;
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (load->isAtomic()) {
      atomics_.push_back(load);
    } else if (shared(load->getPointerOperand()) &&
               !load->hasMetadata(LLVMContext::MD_invariant_load) &&
               !names_.is_vtable_pointer(getUnderlyingObject(load->getPointerOperand()))) {
      loads_.push_back(load);
    }
  } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    if (store->isAtomic()) {
      atomics_.push_back(store);
    } else if (shared(store->getPointerOperand())) {
      stores_.push_back(store);
    }
  } else if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction)) {
    atomics_.push_back(&instruction);
  } else if (auto* fence = dyn_cast<FenceInst>(&instruction)) {
    if (fence->getSyncScopeID() != SyncScope::SingleThread) atomics_.push_back(fence);
  } else if (auto* call = dyn_cast<CallBase>(&instruction)) {
    calls_.push_back(call);
  } else if (auto* allocation = dyn_cast<AllocaInst>(&instruction)) {
    if (shared(allocation)) locals_.push_back(allocation);
  }
}

void FunctionHooks::collect() {
  for (BasicBlock& block : function_) {
    for (Instruction& instruction : block) {
      if (Marker marker; read_marker(instruction, marker)) {
        markers_.push_back(marker);
        marker_selves_.push_back(self_at(marker));
      } else {
        collect(instruction);
      }
    }
  }
}

// `this` in a marker is no use, so the optimiser may have moved its computation behind the marker.
// Then the hook repeats an address computation if its operands are there.
Value* FunctionHooks::self_at(const Marker& marker) {
  auto* instruction = dyn_cast_or_null<Instruction>(marker.self);
  if (!instruction || dominators_.dominates(instruction, marker.call)) return marker.self;
  auto* computation = dyn_cast<GetElementPtrInst>(instruction);
  if (!computation) return nullptr;
  for (Value* operand : computation->operands()) {
    auto* from = dyn_cast<Instruction>(operand);
    if (from && !dominators_.dominates(from, marker.call)) return nullptr;
  }
  return computation;
}

HookBuilder FunctionHooks::before(Instruction* instruction, const DebugLoc& location) {
  if (mode_ != HookMode::kGuarded) return HookBuilder(instruction, location);
  IRBuilder<> test(instruction);
  Value* tracing = hooks_.flag(test, HookTable::kTracing);
  MDNode* weights = MDBuilder(function_.getContext()).createUnlikelyBranchWeights();
  return HookBuilder(SplitBlockAndInsertIfThen(tracing, instruction, false, weights), location);
}

HookBuilder FunctionHooks::after(Instruction* instruction) {
  Instruction* next = instruction->getNextNode();
  if (auto* invoke = dyn_cast<InvokeInst>(instruction)) {
    BasicBlock* normal = invoke->getNormalDest();
    if (!normal->getSinglePredecessor()) normal = SplitEdge(invoke->getParent(), normal);
    next = &*normal->getFirstInsertionPt();
  }
  return before(next, instruction->getDebugLoc());
}

Constant* FunctionHooks::site(SiteText text, EventKind kind, const Instruction& at) {
  text.kind = kind;
  if (!text.location) text.location = at.getDebugLoc().get();
  if (!text.location && function_.getSubprogram()) {
    text.location = DILocation::get(function_.getContext(), 0, 0, function_.getSubprogram());
  }
  return sites_.site(text, function_);
}

void FunctionHooks::hook_marker(const Marker& marker) {
  bool own = !marker.call->getDebugLoc() || !marker.call->getDebugLoc().getInlinedAt();
  Attribute number = function_.getFnAttribute(kMarked);
  own &= number.isValid() && number.getValueAsString() == std::to_string(marker.text.number);
  if (marker.self_gone && !own && !marker.text.reaches_out) {
    marker.call->eraseFromParent();
    return;
  }
  SiteText text;
  text.flags = marker.text.flags;
  text.cls = marker.text.cls;
  text.offset = marker.text.class_size;
  Value* self = marker.self;
  auto* computation = dyn_cast_or_null<GetElementPtrInst>(self);
  Constant* where = site(text, marker.enter ? EventKind::enter : EventKind::exit, *marker.call);
  HookBuilder builder = before(marker.call);
  if (computation && !dominators_.dominates(computation, marker.call)) {
    self = builder.Insert(computation->clone());
  }
  if (!self) self = ConstantPointerNull::get(builder.getPtrTy());
  if (marker.enter) {
    Value* call = ConstantPointerNull::get(builder.getPtrTy());
    if (own) call = builder.CreateIntrinsic(Intrinsic::returnaddress, {}, {builder.getInt32(0)});
    hooks_.call(builder, "enter", {where, self, call});
  } else {
    hooks_.call(builder, "exit", {where, self});
  }
  marker.call->eraseFromParent();
}

namespace {

// There is a hook for each of these sizes.
bool plain_size(std::uint64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

bool plain_type(const DataLayout& layout, Type* type) {
  if (!type->isIntegerTy() && !type->isPointerTy() && !type->isHalfTy() && !type->isBFloatTy() &&
      !type->isFloatTy() && !type->isDoubleTy()) {
    return false;
  }
  return plain_size(layout.getTypeStoreSize(type)) &&
         layout.getTypeSizeInBits(type) == layout.getTypeStoreSizeInBits(type);
}

Value* part_of(IRBuilder<>& builder, Value* pointer, std::uint64_t distance) {
  return distance == 0 ? pointer
                       : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, distance);
}

}  // namespace

Value* as_word(IRBuilder<>& builder, Value* value) {
  const DataLayout& layout = builder.GetInsertBlock()->getDataLayout();
  Type* type = value->getType();
  if (type->isPointerTy()) return builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (!type->isIntegerTy()) {
    std::uint64_t bits = layout.getTypeSizeInBits(type);
    value = builder.CreateBitCast(value, builder.getIntNTy(static_cast<unsigned>(bits)));
  }
  return builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
}

namespace {

// Says so at the site of a volatile access that the processor makes in one step.
void note_volatile(std::vector<AccessNames::Part>& parts, bool is_volatile, Align align) {
  if (!is_volatile || parts.size() != 1 || !plain_size(parts[0].size)) return;
  if (align.value() >= parts[0].size) parts[0].site.flags |= kSiteVolatile;
}

// One instruction, several sites: the first one stands for all where that matters.
void note_span(std::vector<AccessNames::Part>& parts, std::uint64_t bytes) {
  if (parts.size() < 2) return;
  const bool fits = bytes < RADDLE_SPAN_REST;
  for (auto& part : parts) part.site.span = fits ? RADDLE_SPAN_REST : RADDLE_SPAN_OTHERS;
  if (fits) parts[0].site.span = static_cast<std::uint16_t>(bytes);
}

}  // namespace

void FunctionHooks::hook_load(LoadInst* load) {
  const DataLayout& layout = function_.getDataLayout();
  TypeSize bytes = layout.getTypeStoreSize(load->getType());
  if (bytes.isScalable() || bytes.isZero()) return;
  Value* pointer = load->getPointerOperand();
  HookBuilder builder = before(load);
  auto parts = names_.describe_parts(*load, pointer, bytes);
  note_volatile(parts, load->isVolatile(), load->getAlign());
  note_span(parts, bytes);
  for (auto& part : parts) {
    Constant* where = site(part.site, EventKind::read, *load);
    Value* at = part_of(builder, pointer, part.distance);
    if (plain_size(part.size)) {
      const std::string name = may_be_speculative(*load) ? "peek" : "read";
      hooks_.call(builder, name + std::to_string(part.size), {where, at});
    } else {
      hooks_.call(builder, "read_wide", {where, at, builder.getInt64(part.size)});
    }
  }
}

void FunctionHooks::hook_store(StoreInst* store) {
  const DataLayout& layout = function_.getDataLayout();
  Value* value = store->getValueOperand();
  TypeSize bytes = layout.getTypeStoreSize(value->getType());
  if (bytes.isScalable() || bytes.isZero()) return;
  Value* pointer = store->getPointerOperand();
  auto parts = names_.describe_parts(*store, pointer, bytes);
  note_volatile(parts, store->isVolatile(), store->getAlign());
  note_span(parts, bytes);
  if (parts.size() == 1 && plain_type(layout, value->getType())) {
    Constant* where = site(parts[0].site, EventKind::write, *store);
    HookBuilder builder = before(store);
    hooks_.call(builder, "write" + std::to_string(bytes),
                {where, pointer, as_word(builder, value)});
    return;
  }
  std::vector<Constant*> sites;
  for (auto& part : parts) sites.push_back(site(part.site, EventKind::write, *store));
  HookBuilder first = before(store);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    hooks_.call(first, "before_write", {sites[i], part_of(first, pointer, parts[i].distance)});
  }
  HookBuilder then = after(store);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    hooks_.call(
        then, "wrote_wide",
        {sites[i], part_of(then, pointer, parts[i].distance), then.getInt64(parts[i].size)});
  }
}

void FunctionHooks::hook_range(Instruction* call, Value* pointer, Value* bytes, EventKind kind,
                               std::uint16_t span) {
  if (mode_ == HookMode::kChecks ? !may_be_heap(pointer) : !shared(pointer)) return;
  Constant* where = nullptr;
  if (mode_ != HookMode::kChecks) {
    SiteText text = names_.describe_range(*call, pointer, bytes);
    text.span = span;
    where = site(text, kind, *call);
  }
  HookBuilder builder = before(call);
  touch_range(builder, where, pointer, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty()),
              kind == EventKind::write_range);
}

void FunctionHooks::touch_range(HookBuilder& builder, Constant* where, Value* pointer, Value* bytes,
                                bool writes) {
  if (mode_ == HookMode::kChecks) {
    hooks_.call(builder, "check_range", {pointer, bytes, builder.getInt32(writes)});
  } else {
    hooks_.call(builder, writes ? "write_range" : "read_range", {where, pointer, bytes});
  }
}

void FunctionHooks::hook_local(AllocaInst* allocation) {
  std::vector<Instruction*> births;
  for (User* user : allocation->users()) {
    auto* intrinsic = dyn_cast<IntrinsicInst>(user);
    if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::lifetime_start) {
      births.push_back(intrinsic);
    }
  }
  if (births.empty()) {
    // After the function's enter, which is the first call after the allocations.
    Instruction* at = allocation->getNextNode();
    if (allocation->isStaticAlloca()) {
      at = &*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
      while (auto* call = dyn_cast<CallInst>(at)) {
        if (!call->getCalledFunction()) break;
        StringRef name = call->getCalledFunction()->getName();
        if (name != "__raddle_enter" && name != "llvm.returnaddress") break;
        at = at->getNextNode();
      }
    }
    births.push_back(at);
  }
  SiteText text = names_.describe_local(*allocation);
  if (StringRef(text.cls).starts_with("raddle::")) return;  // scope object of an annotation
  const DataLayout& layout = function_.getDataLayout();
  for (Instruction* birth : births) {
    Constant* where = site(text, EventKind::local, *birth);
    HookBuilder builder = before(birth);
    Value* bytes = builder.getInt64(layout.getTypeAllocSize(allocation->getAllocatedType()));
    if (allocation->isArrayAllocation()) {
      bytes = builder.CreateMul(
          bytes, builder.CreateZExtOrTrunc(allocation->getArraySize(), builder.getInt64Ty()));
    }
    hooks_.call(builder, "local", {where, allocation, bytes});
  }
}

void FunctionHooks::insert() {
  // Calls come first, because all other hooks insert calls.
  for (CallBase* call : calls_) hook_call(call);
  for (LoadInst* load : loads_) hook_load(load);
  for (StoreInst* store : stores_) hook_store(store);
  for (Instruction* operation : atomics_) hook_atomic(operation);
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    markers_[i].self = marker_selves_[i];
    hook_marker(markers_[i]);
  }
  for (AllocaInst* allocation : locals_) hook_local(allocation);
  if (mode_ == HookMode::kAlways) tell_of_locals();
}

}  // namespace raddle::pass
