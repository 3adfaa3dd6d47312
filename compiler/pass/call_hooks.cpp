// FunctionHooks: calls of library functions and intrinsics that touch memory, allocate, return
// twice, or are annotations.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "compiler/pass/annotation_calls.hpp"
#include "compiler/pass/function_hooks.hpp"
#include "compiler/pass/known/atomic_calls.hpp"
#include "compiler/pass/known/call_table.hpp"
#include "compiler/pass/names.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

Value* wide(IRBuilder<>& builder, Value* number) {
  return builder.CreateZExtOrTrunc(number, builder.getInt64Ty());
}

// The arguments say how much is touched; otherwise it follows from what memory holds at that
// moment.
bool has_fixed_length(const Touch& touch) {
  switch (touch.length) {
    case Length::kBytes:
    case Length::kCopiedUpTo:
    case Length::kProduct:
    case Length::kObject:
    case Length::kFixed:
      return true;
    case Length::kText:
    case Length::kTextUpTo:
    case Length::kCommon:
    case Length::kCommonBytes:
    case Length::kUntil:
    case Length::kUntilBytes:
    case Length::kCopied:
    case Length::kAppended:
    case Length::kWideText:
      return false;
  }
  return false;
}

}  // namespace

void FunctionHooks::hook_touch(CallBase* call, const Touch& touch, bool alone) {
  Value* pointer = call->getArgOperand(touch.argument);
  if (!shared(pointer)) return;
  EventKind kind = touch.writes ? EventKind::write_range : EventKind::read_range;
  Constant* where = nullptr;
  if (mode_ != HookMode::kChecks) {
    SiteText named = names_.describe_range(*call, pointer, nullptr);
    if (touch.length == Length::kAppended && !named.cls.empty()) named.offset = kUnknownOffset;
    if (!alone || !has_fixed_length(touch)) named.span = RADDLE_SPAN_OTHERS;
    where = site(named, kind, *call);
  }
  HookBuilder builder = before(call);
  Type* word = builder.getInt64Ty();
  Value* all = builder.getInt64(~0ULL);
  Value* one = builder.getInt64(1);
  auto argument = [&](std::int8_t index) { return call->getArgOperand(index); };
  auto limit = [&](std::int8_t index) {
    return index == kNone ? all : wide(builder, argument(index));
  };
  auto length = [&](Value* text, Value* most) {
    return hooks_.call(builder, "length", {text, most}, word);
  };
  // Counts the final 0, unless the limit comes first.
  auto text_length = [&](Value* text, Value* most) -> Value* {
    Value* with_end = builder.CreateAdd(length(text, most), one);
    return builder.CreateSelect(builder.CreateICmpULT(with_end, most), with_end, most);
  };
  Value* bytes = nullptr;
  switch (touch.length) {
    case Length::kBytes:
    case Length::kCopiedUpTo:
      bytes = limit(touch.length == Length::kBytes ? touch.a : touch.b);
      break;
    case Length::kText:
      bytes = builder.CreateAdd(length(pointer, all), one);
      break;
    case Length::kTextUpTo:
      bytes = text_length(pointer, limit(touch.a));
      break;
    case Length::kProduct:
      bytes = builder.CreateMul(limit(touch.a), limit(touch.b));
      break;
    case Length::kCommon:
    case Length::kCommonBytes:
      bytes = hooks_.call(builder, "length_common",
                          {pointer, argument(touch.a), limit(touch.b),
                           builder.getInt32(touch.length == Length::kCommon)},
                          word);
      break;
    case Length::kUntil:
    case Length::kUntilBytes:
      bytes =
          hooks_.call(builder, "length_until",
                      {pointer, builder.CreateZExtOrTrunc(argument(touch.a), builder.getInt32Ty()),
                       limit(touch.b), builder.getInt32(touch.length == Length::kUntil)},
                      word);
      break;
    case Length::kCopied:
      bytes = builder.CreateAdd(length(argument(touch.a), all), one);
      break;
    case Length::kAppended:
      bytes = builder.CreateAdd(length(argument(touch.a), limit(touch.b)), one);
      pointer = builder.CreateGEP(builder.getInt8Ty(), pointer, length(pointer, all));
      break;
    case Length::kObject:
      bytes = builder.getInt64(call->getParamDereferenceableBytes(touch.argument));
      break;
    case Length::kWideText:
      bytes = builder.CreateAdd(hooks_.call(builder, "length_wide", {pointer}, word),
                                builder.getInt64(4));
      break;
    case Length::kFixed:
      bytes = builder.getInt64(touch.a);
      break;
  }
  touch_range(builder, where, pointer, bytes, touch.writes);
}

void FunctionHooks::hook_allocation(CallBase* call) {
  SiteText text;
  if (const MDNode* node = call->getMetadata(kAllocateMetadata)) {
    text.cls = cast<MDString>(node->getOperand(0))->getString().str();
    text.offset = static_cast<std::uint32_t>(
        mdconst::extract<ConstantInt>(node->getOperand(1))->getZExtValue());
  }
  Constant* where = site(text, EventKind::allocate, *call);
  HookBuilder first = before(call);
  hooks_.call(first, "allocate_begin", {where});
  if (auto* invoke = dyn_cast<InvokeInst>(call)) {
    // The allocation also ends where it throws. If the landing pad serves other calls too, ending
    // it once more does no harm.
    BasicBlock* unwind = invoke->getUnwindDest();
    if (allocation_pads_.insert(unwind).second) {
      HookBuilder pad = before(&*unwind->getFirstInsertionPt(), call->getDebugLoc());
      hooks_.call(pad, "allocate_end", {});
    }
  }
  HookBuilder then = after(call);
  hooks_.call(then, "allocate_end", {});
}

void FunctionHooks::hook_call(CallBase* call) {
  if (auto* memory = dyn_cast<AnyMemTransferInst>(call)) {
    const bool both = shared(memory->getRawSource()) && shared(memory->getRawDest());
    const std::uint16_t span = both ? RADDLE_SPAN_OTHERS : RADDLE_SPAN_ALONE;
    hook_range(call, memory->getRawSource(), memory->getLength(), EventKind::read_range, span);
    hook_range(call, memory->getRawDest(), memory->getLength(), EventKind::write_range, span);
  } else if (auto* fill = dyn_cast<AnyMemSetInst>(call)) {
    hook_range(call, fill->getRawDest(), fill->getLength(), EventKind::write_range,
               RADDLE_SPAN_ALONE);
  } else if (is_annotation(*call)) {
    hook_annotation(call);
    return;
  } else if (auto* intrinsic = dyn_cast<IntrinsicInst>(call)) {
    hook_masked(intrinsic);
    return;
  }
  if (call->isInlineAsm()) {
    hook_assembly(call);
    return;
  }
  if (atomic_call(*call)) {
    hook_atomic_call(call);
    return;
  }
  if (const LibraryCall* known = library_call(*call)) {
    const auto hooked = [&](const Touch& touch) {
      return touch.argument != kNone && shared(call->getArgOperand(touch.argument));
    };
    const auto count = std::count_if(std::begin(known->touches), std::end(known->touches), hooked);
    for (const Touch& touch : known->touches) {
      if (touch.argument != kNone) hook_touch(call, touch, count == 1);
    }
  }
  if (allocates(*call)) hook_allocation(call);
  if (is_setjmp(*call) && !call->getType()->isVoidTy()) {
    Constant* where = site({}, EventKind::none, *call);
    HookBuilder builder = after(call);
    hooks_.call(builder, "setjmp", {where, call->getArgOperand(0), wide(builder, call)});
  }
}

void FunctionHooks::hook_masked(IntrinsicInst* intrinsic) {
  switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::masked_load:
      hook_lanes(intrinsic, intrinsic->getArgOperand(0), intrinsic->getArgOperand(2),
                 intrinsic->getType(), EventKind::read_range);
      break;
    case Intrinsic::masked_store:
      hook_lanes(intrinsic, intrinsic->getArgOperand(1), intrinsic->getArgOperand(3),
                 intrinsic->getArgOperand(0)->getType(), EventKind::write_range);
      break;
    case Intrinsic::masked_gather:
      hook_lanes(intrinsic, intrinsic->getArgOperand(0), intrinsic->getArgOperand(2),
                 intrinsic->getType(), EventKind::read_range);
      break;
    case Intrinsic::masked_scatter:
      hook_lanes(intrinsic, intrinsic->getArgOperand(1), intrinsic->getArgOperand(3),
                 intrinsic->getArgOperand(0)->getType(), EventKind::write_range);
      break;
    default:
      break;
  }
}

// One range for each lane. Its length is 0 if the mask disables the lane.
void FunctionHooks::hook_lanes(IntrinsicInst* intrinsic, Value* pointers, Value* mask, Type* type,
                               EventKind kind) {
  auto* lanes = dyn_cast<FixedVectorType>(type);
  if (!lanes) return;
  bool scattered = pointers->getType()->isVectorTy();
  if (!scattered && !shared(pointers)) return;
  std::uint64_t bytes = function_.getDataLayout().getTypeStoreSize(lanes->getElementType());
  SiteText text;
  if (!scattered) text = names_.describe_range(*intrinsic, pointers, nullptr);
  text.span = RADDLE_SPAN_OTHERS;
  Constant* where = site(text, kind, *intrinsic);
  HookBuilder builder = before(intrinsic);
  for (unsigned lane = 0; lane < lanes->getNumElements(); ++lane) {
    Value* pointer = scattered
                         ? builder.CreateExtractElement(pointers, lane)
                         : builder.CreateConstGEP1_64(lanes->getElementType(), pointers, lane);
    Value* length = builder.CreateSelect(builder.CreateExtractElement(mask, lane),
                                         builder.getInt64(bytes), builder.getInt64(0));
    hooks_.call(builder, kind == EventKind::read_range ? "read_range" : "write_range",
                {where, pointer, length});
  }
}

}  // namespace raddle::pass
