#include "compiler/pass/annotation_calls.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/pass/function_hooks.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

struct Annotation {
  const char* function;
  EventKind kind;
};

constexpr Annotation kAnnotations[] = {
    {"__raddle_mark_block_enter", EventKind::block_enter},
    {"__raddle_mark_block_exit", EventKind::block_exit},
    {"__raddle_mark_unit_enter", EventKind::unit_enter},
    {"__raddle_mark_unit_exit", EventKind::unit_exit},
    {"__raddle_mark_event", EventKind::user},
    {"__raddle_mark_ignore", EventKind::none},
};

const Annotation* find(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with("__raddle_mark_")) return nullptr;
  for (const Annotation& known : kAnnotations) {
    if (callee->getName() == known.function) return &known;
  }
  return nullptr;
}

// The constant that a value is. Without optimisation the constant passes through local variables
// and members of local objects: it is enough that only one value is ever stored there.
const Value* constant_behind(const Value* value, int depth = 0) {
  const auto* load = dyn_cast<LoadInst>(value);
  if (!load || depth > 8) return value;
  const DataLayout& layout = load->getDataLayout();
  auto at = [&](const Value* pointer, std::int64_t& offset) {
    return GetPointerBaseWithConstantOffset(pointer, offset, layout);
  };
  std::int64_t offset = 0;
  const Value* object = at(load->getPointerOperand(), offset);
  // The object is `this` of an inlined member function.
  if (isa<LoadInst>(object)) object = at(constant_behind(object, depth + 1), offset);
  const StoreInst* only = nullptr;
  for (const BasicBlock& block : *load->getFunction()) {
    for (const Instruction& instruction : block) {
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if (!store) continue;
      std::int64_t to = 0;
      const Value* target = at(store->getPointerOperand(), to);
      if (isa<LoadInst>(target)) target = at(constant_behind(target, depth + 1), to);
      if (target != object || to != offset) continue;
      if (only) return value;
      only = store;
    }
  }
  return only ? constant_behind(only->getValueOperand(), depth + 1) : value;
}

}  // namespace

const DILocation* outside_annotations(const DILocation* location) {
  while (location && location->getInlinedAt() &&
         location->getFilename().ends_with("raddle/annotations.hpp")) {
    location = location->getInlinedAt();
  }
  return location;
}

bool is_annotation(const CallBase& call) { return find(call) != nullptr; }

void remove_annotations(Function& function) {
  std::vector<CallBase*> found;
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (call && is_annotation(*call)) found.push_back(call);
    }
  }
  for (CallBase* call : found) call->eraseFromParent();
}

void FunctionHooks::hook_annotation(CallBase* call) {
  const Annotation* known = find(*call);
  if (known->kind == EventKind::none) {
    HookBuilder builder = before(call);
    hooks_.call(builder, "ignore", {call->getArgOperand(0)});
    call->eraseFromParent();
    return;
  }
  SiteText text;
  text.location = outside_annotations(call->getDebugLoc().get());
  StringRef name;
  if (getConstantStringInfo(constant_behind(call->getArgOperand(0)), name)) text.field = name.str();
  bool has_object = known->kind == EventKind::unit_enter || known->kind == EventKind::unit_exit;
  Constant* where = site(text, known->kind, *call);
  HookBuilder builder = before(call);
  Value* object = ConstantPointerNull::get(builder.getPtrTy());
  Value* value = builder.getInt64(0);
  if (has_object) object = call->getArgOperand(1);
  if (known->kind == EventKind::user) value = call->getArgOperand(1);
  hooks_.call(builder, "annotate", {where, object, value});
  call->eraseFromParent();
}

}  // namespace raddle::pass
