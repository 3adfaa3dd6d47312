// The late phase copies each function F to an internal F.raddle and puts the hooks into the copy;
// and to another, F.checked, with the checks of memory. F itself tests the state once. While the
// runtime traces, F continues in one of its copies by a tail call: same arguments, same frame, same
// return address. If F cannot be copied, the hooks go into F, each behind a test.
#include "compiler/pass/late_phase.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <utility>
#include <vector>

#include "compiler/pass/annotation_calls.hpp"
#include "compiler/pass/atomic_points.hpp"
#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/function_hooks.hpp"
#include "compiler/pass/markers.hpp"
#include "compiler/pass/names.hpp"
#include "compiler/pass/seen_functions.hpp"
#include "compiler/pass/speculation/speculation.hpp"
#include "compiler/pass/unit_markers.hpp"
#include "protocol/hooks_abi.h"

namespace raddle::pass {

using namespace llvm;

namespace {

// A resolver of an ifunc runs while the dynamic linker still relocates.
bool is_resolver(const Function& function) {
  for (const User* user : function.users()) {
    if (isa<GlobalIFunc>(user)) return true;
  }
  return false;
}

bool skipped(const Function& function) {
  StringRef name = function.getName();
  return function.hasFnAttribute(Attribute::Naked) || function.hasFnAttribute(kIgnored) ||
         function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) ||
         name.starts_with("__raddle") || name.starts_with("__llvm_") || name.starts_with("asan.") ||
         name.starts_with("tsan.") || name.starts_with("msan.") ||
         name == "__clang_call_terminate" || is_resolver(function);
}

// The function has something that may need a hook.
bool has_work(const Function& function) {
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      if (instruction.isDebugOrPseudoInst() || instruction.isLifetimeStartOrEnd()) continue;
      if (isa<CallBase>(instruction) || instruction.mayReadOrWriteMemory()) return true;
    }
  }
  return false;
}

// Everything that the function does is seen, or does not matter to other threads: what compilers
// add, and what runs before there are threads.
bool is_seen(const Function& function) {
  if (function.hasFnAttribute(Attribute::Naked) || function.hasFnAttribute(kIgnored) ||
      function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return !has_work(function);
  return !has_opaque_assembly(function);
}

bool can_copy(const Function& function) {
  switch (function.getCallingConv()) {
    case CallingConv::C:
    case CallingConv::Fast:
    case CallingConv::X86_64_SysV:
      break;
    default:
      return false;
  }
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken()) return false;  // a table elsewhere may hold the addresses
  }
  for (const Argument& argument : function.args()) {
    // A tail call would pass the argument's own stack slot. LLVM 19 copies the slot onto itself and
    // uses registers that hold other arguments.
    if (argument.hasByValAttr()) return false;
    if (argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() ||
        argument.hasSwiftErrorAttr() || argument.hasAttribute(Attribute::SwiftSelf) ||
        argument.hasAttribute(Attribute::SwiftAsync)) {
      return false;
    }
  }
  return true;
}

bool remove_markers(Function& function) {
  std::vector<CallInst*> found;
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      if (Marker marker; read_marker(instruction, marker)) found.push_back(marker.call);
    }
  }
  for (CallInst* call : found) call->eraseFromParent();
  return !found.empty();
}

// The optimiser inferred these attributes from a body without hooks.
void forget_effects(Function& function) {
  function.removeFnAttr(Attribute::Memory);
  function.removeFnAttr(Attribute::NoSync);
  function.removeFnAttr(Attribute::NoFree);
  function.removeFnAttr(Attribute::NoCallback);
  function.removeFnAttr(Attribute::Speculatable);
}

Function* copy_of(Function& function, ValueToValueMapTy& values, StringRef suffix) {
  Function* copy = CloneFunction(&function, values);
  copy->setName(function.getName() + suffix);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  copy->setDSOLocal(true);
  copy->setComdat(function.getComdat());
  return copy;
}

// Goes on in the copy: a tail call.
void go_on_in(Function& function, Function& copy, IRBuilder<>& builder) {
  SmallVector<Value*, 8> arguments;
  for (Argument& argument : function.args()) arguments.push_back(&argument);
  CallInst* call = builder.CreateCall(&copy, arguments);
  call->setTailCallKind(CallInst::TCK_MustTail);
  call->setCallingConv(function.getCallingConv());
  // The attributes that the ABI depends on must be equal.
  call->setAttributes(AttributeList::get(
      function.getContext(), AttributeSet(), function.getAttributes().getRetAttrs(), [&] {
        SmallVector<AttributeSet, 8> sets;
        for (unsigned i = 0; i < function.arg_size(); ++i) {
          sets.push_back(function.getAttributes().getParamAttrs(i));
        }
        return sets;
      }()));
  if (function.getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(call);
  }
}

// Puts a test at the entry of the function: while tracing, it goes on in a copy. Without one with
// checks there is nothing to check.
void dispatch(Function& function, Function& hooked_copy, Function* checked_copy, HookTable& hooks) {
  LLVMContext& context = function.getContext();
  BasicBlock* body = &function.getEntryBlock();
  std::vector<AllocaInst*> allocations;
  for (Instruction& instruction : *body) {
    auto* allocation = dyn_cast<AllocaInst>(&instruction);
    if (allocation && allocation->isStaticAlloca()) allocations.push_back(allocation);
  }
  // A static allocation must be in the entry block.
  BasicBlock* entry = BasicBlock::Create(context, "", &function, body);
  BasicBlock* traced = BasicBlock::Create(context, "", &function);
  BasicBlock* hooked = BasicBlock::Create(context, "", &function);
  BasicBlock* checked = checked_copy ? BasicBlock::Create(context, "", &function) : body;
  for (AllocaInst* allocation : allocations) allocation->moveBefore(*entry, entry->end());
  IRBuilder<> builder(entry);
  DebugLoc location;
  if (DISubprogram* subprogram = function.getSubprogram()) {
    location = DILocation::get(context, subprogram->getScopeLine(), 0, subprogram);
  }
  builder.SetCurrentDebugLocation(location);
  Value* tracing = hooks.value(builder, HookTable::kTracing);
  builder.CreateCondBr(builder.CreateICmpNE(tracing, builder.getInt8(RADDLE_AS_WRITTEN)), traced,
                       body, MDBuilder(context).createUnlikelyBranchWeights());
  builder.SetInsertPoint(traced);
  builder.CreateCondBr(builder.CreateICmpEQ(tracing, builder.getInt8(RADDLE_WITH_CHECKS)), checked,
                       hooked);
  builder.SetInsertPoint(hooked);
  go_on_in(function, hooked_copy, builder);
  if (!checked_copy) return;
  builder.SetInsertPoint(checked);
  go_on_in(function, *checked_copy, builder);
}

// A call in the place of a return would take the function's frame away, and with it the line that
// unlocks, signals or joins: reports would show its caller's. (Calls of a function by itself have
// become loops before, and calls that the language wants to be tail calls stay.)
void keep_frames(Function& function) {
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if (call != nullptr && !call->isMustTailCall()) call->setTailCallKind(CallInst::TCK_NoTail);
    }
  }
}

class Instrumenter {
 public:
  Instrumenter(Module& module, FunctionAnalysisManager& analyses, bool optimise)
      : types_(module), sites_(module), hooks_(module), analyses_(analyses), optimise_(optimise) {
    read_sets(module, types_);
  }

  // Null where there are none.
  struct Copies {
    Function* hooked = nullptr;
    Function* checked = nullptr;
  };
  Copies instrument(Function& function) {
    if (skipped(function) || !has_work(function)) {
      remove_markers(function);
      remove_annotations(function);
      return {};
    }
    forget_effects(function);
    if (!can_copy(function)) {
      mark_function(function, types_);
      FunctionHooks hooks(function, HookMode::kGuarded, types_, sites_, hooks_);
      hooks.collect();
      hooks.insert();
      return {};
    }
    ValueToValueMapTy values;
    Function* copy = copy_of(function, values, kCloneSuffix);
    ValueToValueMapTy checked_values;
    Function* checked = copy_of(function, checked_values, kCheckedSuffix);
    mark_function(*copy, types_);
    FunctionHooks hooks(*copy, HookMode::kAlways, types_, sites_, hooks_);
    hooks.collect();
    hooks.insert();
    // The function as written, but for decisions at its atomic operations.
    std::vector<std::pair<Instruction*, Constant*>> atomics;
    std::vector<std::pair<Instruction*, Constant*>> checked_atomics;
    for (BasicBlock& block : function) {
      for (Instruction& instruction : block) {
        Value* copied = values.lookup(&instruction);
        auto at = hooks.atomic_sites().find(dyn_cast_or_null<Instruction>(copied));
        if (!copied || at == hooks.atomic_sites().end()) continue;
        atomics.emplace_back(&instruction, at->second);
        checked_atomics.emplace_back(cast<Instruction>(checked_values.lookup(&instruction)),
                                     at->second);
      }
    }
    FunctionHooks checks(*checked, HookMode::kChecks, types_, sites_, hooks_);
    checks.collect();
    const bool has_checks = checks.insert_checks();
    finish_as_written(function, atomics);
    if (has_checks) {
      finish_as_written(*checked, checked_atomics);
    } else {
      checked->eraseFromParent();
    }
    dispatch(function, *copy, has_checks ? checked : nullptr, hooks_);
    copy->removeFnAttr(kMarked);
    if (has_checks) checked->removeFnAttr(kMarked);
    function.removeFnAttr(kMarked);
    return {copy, has_checks ? checked : nullptr};
  }

 private:
  // A version without hooks: decisions at atomic operations, and nothing that was there for hooks.
  void finish_as_written(Function& function,
                         const std::vector<std::pair<Instruction*, Constant*>>& atomics) {
    for (const auto& [operation, where] : atomics) insert_atomic_point(operation, where, hooks_);
    keep_frames(function);
    remove_annotations(function);
    // With them go cleanups that were only there for markers.
    if (remove_markers(function) && optimise_ && !function.hasOptNone()) {
      SimplifyCFGPass().run(function, analyses_);
    }
  }

  DebugTypes types_;
  SiteTable sites_;
  HookTable hooks_;
  FunctionAnalysisManager& analyses_;
  bool optimise_;
};

}  // namespace

PreservedAnalyses LatePhase::run(Module& module, ModuleAnalysisManager& analyses) {
  if (module.getNamedMetadata(kLateDone)) return PreservedAnalyses::all();
  module.getOrInsertNamedMetadata(kLateDone);
  allow_speculation(module);
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  std::vector<Function*> defined;
  for (Function& function : module) {
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage()) {
      defined.push_back(&function);
    }
  }
  mark_hidden_synchronisation(module);
  Instrumenter instrumenter(module, functions, optimise_);
  std::vector<Function*> seen;
  std::vector<Function*> tellers;
  for (Function* function : defined) {
    const bool is_listed = is_seen(*function);
    const bool tells = tells_of_all_locals(*function);
    const auto copies = instrumenter.instrument(*function);
    if (tells && copies.hooked != nullptr) tellers.push_back(copies.hooked);
    if (tells && copies.checked != nullptr) tellers.push_back(copies.checked);
    if (!is_listed) continue;
    seen.push_back(function);
    if (copies.hooked != nullptr) seen.push_back(copies.hooked);
    if (copies.checked != nullptr) seen.push_back(copies.checked);
  }
  list_functions(module, seen, kFunctionsSection);
  list_functions(module, tellers, kTellersSection);
  return PreservedAnalyses::none();
}

}  // namespace raddle::pass
