#include "compiler/pass/unit_markers.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/EHPersonalities.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include <utility>
#include <vector>

#include "compiler/pass/names.hpp"
#include "protocol/site.hpp"

namespace raddle::pass {

using namespace llvm;

MarkerText describe_function(const Function& function, const DebugTypes& types) {
  MarkerText text;
  if (function.hasFnAttribute(kAtomicAnnotation)) text.flags |= kSiteAtomic;
  if (function.hasFnAttribute(kUnitAnnotation)) text.flags |= kSiteUnit | kSiteDeclared;
  const DISubprogram* subprogram = function.getSubprogram();
  const DICompositeType* cls = types.definition(member_of(subprogram));
  if (!cls) return text;
  text.cls = types.name(cls);
  text.class_size = static_cast<std::uint32_t>(size_of(cls));
  if (types.has_sets(text.cls)) text.flags |= kSiteOfSets;
  if (!has_object(subprogram)) return text;
  StringRef name = subprogram->getName();
  StringRef bare = cls->getName().split('<').first;
  if (name.starts_with("~")) {
    text.flags |= kSiteDestructor;
  } else if (name.split('<').first == bare) {
    text.flags |= kSiteConstructor;
  }
  return text;
}

// The inliner joins only functions with the same personality. So the default for cleanups, that of
// C, would prevent inlining in C++.
void choose_personality(Function& function) {
  const DISubprogram* subprogram = function.getSubprogram();
  if (function.hasPersonalityFn() || !subprogram || !subprogram->getUnit()) return;
  auto language = static_cast<dwarf::SourceLanguage>(subprogram->getUnit()->getSourceLanguage());
  if (!dwarf::isCPlusPlus(language)) return;
  Module* module = function.getParent();
  FunctionCallee personality =
      module->getOrInsertFunction(getEHPersonalityName(EHPersonality::GNU_CXX),
                                  FunctionType::get(Type::getInt32Ty(module->getContext()), true));
  function.setPersonalityFn(cast<Constant>(personality.getCallee()));
}

void need_personality(Function& function) {
  choose_personality(function);
  if (function.hasPersonalityFn()) return;
  Module& module = *function.getParent();
  const bool plus = function.getName().starts_with("_Z");
  FunctionCallee personality = module.getOrInsertFunction(
      getEHPersonalityName(plus ? EHPersonality::GNU_CXX : EHPersonality::GNU_C),
      FunctionType::get(Type::getInt32Ty(module.getContext()), true));
  function.setPersonalityFn(cast<Constant>(personality.getCallee()));
}

bool may_unwind(const Function& function) {
  if (function.doesNotThrow()) return false;
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      const auto* call = dyn_cast<CallInst>(&instruction);
      if (call && !call->doesNotThrow()) return true;
    }
  }
  return false;
}

namespace {

Value* self_of(Function& function) {
  if (!has_object(function.getSubprogram())) return nullptr;
  unsigned index = function.hasStructRetAttr() ? 1 : 0;
  if (index >= function.arg_size()) return nullptr;
  Argument* self = function.getArg(index);
  return self->getType()->isPointerTy() ? self : nullptr;
}

// A call loses its metadata when it becomes an invoke. The handle follows the call.
using NamedAllocation = std::pair<WeakTrackingVH, MDNode*>;

std::vector<NamedAllocation> named_allocations(Function& function) {
  std::vector<NamedAllocation> found;
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      if (!isa<CallInst>(instruction)) continue;
      if (MDNode* name = instruction.getMetadata(kAllocateMetadata)) {
        found.emplace_back(&instruction, name);
      }
    }
  }
  return found;
}

}  // namespace

void insert_markers(Function& function, const MarkerText& text) {
  Value* self = self_of(function);
  DebugLoc location;
  if (DISubprogram* subprogram = function.getSubprogram()) {
    location = DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
  }
  bool unwinds = may_unwind(function);
  if (unwinds) choose_personality(function);
  std::vector<NamedAllocation> allocations = named_allocations(function);
  EscapeEnumerator exits(function, "raddle_cleanup", unwinds);
  while (IRBuilder<>* at = exits.Next()) {
    at->SetCurrentDebugLocation(location);
    make_marker(*at, false, text, self);
  }
  for (const auto& [call, name] : allocations) {
    if (auto* invoke = dyn_cast_or_null<InvokeInst>(call)) {
      invoke->setMetadata(kAllocateMetadata, name);
    }
  }
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder.SetCurrentDebugLocation(location);
  make_marker(builder, true, text, self);
  function.addFnAttr(kMarked, std::to_string(text.number));
}

void mark_function(Function& function, const DebugTypes& types) {
  if (function.hasFnAttribute(kMarked)) return;
  MarkerText text = describe_function(function, types);
  text.number = ~0u;  // no other marker in the function has this number
  insert_markers(function, text);
}

void read_sets(const Module& module, DebugTypes& types) {
  const NamedMDNode* sets = module.getNamedMetadata(kSetsMetadata);
  if (!sets) return;
  for (const MDNode* set : sets->operands()) {
    types.add_set(cast<MDString>(set->getOperand(0))->getString(),
                  mdconst::extract<ConstantInt>(set->getOperand(1))->getZExtValue(),
                  cast<MDString>(set->getOperand(2))->getString().str());
  }
}

}  // namespace raddle::pass
