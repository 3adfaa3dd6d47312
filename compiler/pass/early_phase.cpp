#include "compiler/pass/early_phase.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/pass/access_names.hpp"
#include "compiler/pass/allocated_class.hpp"
#include "compiler/pass/atomic_points.hpp"
#include "compiler/pass/attributes.hpp"
#include "compiler/pass/known/call_table.hpp"
#include "compiler/pass/names.hpp"
#include "compiler/pass/speculation/speculation.hpp"
#include "compiler/pass/unit_markers.hpp"
#include "protocol/site.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

bool from_system(const Function& function) {
  const DISubprogram* subprogram = function.getSubprogram();
  if (subprogram) {
    StringRef file = subprogram->getFilename();
    return in_std(subprogram->getScope()) || file.starts_with("/usr/include/") ||
           file.starts_with("/usr/lib/") || file.starts_with("/usr/local/include/");
  }
  StringRef name = function.getName();
  return name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt") ||
         name.starts_with("_ZN9__gnu_cxx") || name.starts_with("_ZNK9__gnu_cxx");
}

// What the body of a function does itself, before inlining adds to it.
struct Deeds {
  unsigned accesses = 0;  // through pointers to anything but its own variables
  bool calls = false;
  std::string touched;       // class of the first field that it accesses directly
  bool touches_own = false;  // accesses a field of the class that it is a member of
  bool touches_other = false;
};

const Value* accessed(const Instruction& instruction) {
  return isa<CallBase>(instruction) ? nullptr : atomic_pointer(&instruction);
}

Deeds deeds_of(const Function& function, ValueTypes& values, const std::string& own) {
  Deeds deeds;
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      if (const auto* call = dyn_cast<CallBase>(&instruction)) {
        deeds.calls |= !isa<IntrinsicInst>(call);
        continue;
      }
      const Value* pointer = accessed(instruction);
      if (!pointer || isa<AllocaInst>(getUnderlyingObject(pointer))) continue;
      ++deeds.accesses;
      AccessName name = values.name(pointer, 1);
      // The captures of a lambda are not the state of an object.
      if (name.cls.empty() || name.field == "(vptr)" || is_unnamed(name.cls)) continue;
      if (deeds.touched.empty()) deeds.touched = name.cls;
      (name.cls == own ? deeds.touches_own : deeds.touches_other) = true;
    }
  }
  return deeds;
}

// The function waits on a condition variable, by itself or through templates of the library.
bool waits(const Function& function, int depth = 0) {
  constexpr int kDeepest = 8;  // condition_variable_any::wait_until needs 3
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call) continue;
      if (waits_on_condition(*call)) return true;
      const Function* callee = call->getCalledFunction();
      if (callee && !callee->isDeclaration() && from_system(*callee) && depth < kDeepest &&
          waits(*callee, depth + 1)) {
        return true;
      }
    }
  }
  return false;
}

bool is_private(const DISubprogram* function) {
  const DISubprogram* declared = function->getDeclaration();
  if (!declared) declared = function;
  switch (declared->getFlags() & DINode::FlagAccessibility) {
    case DINode::FlagPrivate:
      return true;
    case DINode::FlagPublic:
    case DINode::FlagProtected:
      return false;
    default: {
      const DICompositeType* cls = member_of(function);
      return cls && cls->getTag() == dwarf::DW_TAG_class_type;
    }
  }
}

void mark_unit(Function& function, ValueTypes& values, const DebugTypes& types, unsigned& number) {
  if (function.hasFnAttribute(Attribute::Naked) || function.isPresplitCoroutine() ||
      from_system(function)) {
    return;
  }
  MarkerText text = describe_function(function, types);
  Deeds deeds = deeds_of(function, values, text.cls);
  bool annotated = text.flags & (kSiteUnit | kSiteAtomic);
  if (!annotated && deeds.accesses <= 1 && !deeds.calls) return;
  const DISubprogram* subprogram = function.getSubprogram();
  if (member_of(subprogram)) {
    if (!is_private(subprogram) || deeds.touches_own) text.flags |= kSiteUnit;
  } else if (!deeds.touched.empty()) {
    text.flags |= kSiteUnit;
    text.cls = deeds.touched;
    text.class_size = static_cast<std::uint32_t>(size_of(types.find(text.cls)));
  } else if (!annotated) {
    return;
  }
  if (deeds.calls && waits(function)) text.flags |= kSiteWaits;
  text.number = ++number;
  text.reaches_out = deeds.calls || deeds.touches_other;
  insert_markers(function, text);
}

void name_accesses(Function& function, ValueTypes& values) {
  const DataLayout& layout = function.getDataLayout();
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      const Value* pointer = accessed(instruction);
      std::uint64_t size = 0;
      if (pointer) {
        Type* type = instruction.getType();
        if (auto* store = dyn_cast<StoreInst>(&instruction))
          type = store->getValueOperand()->getType();
        if (auto* compare = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
          type = compare->getNewValOperand()->getType();
        }
        if (layout.getTypeStoreSize(type).isScalable()) continue;
        size = layout.getTypeStoreSize(type);
      }
      if (!pointer || size == 0 || isa<AllocaInst>(getUnderlyingObject(pointer))) continue;
      AccessName name = values.name(pointer, size);
      if (!name.cls.empty()) write_access_name(instruction, name);
    }
  }
}

}  // namespace

PreservedAnalyses EarlyPhase::run(Module& module, ModuleAnalysisManager& analyses) {
  if (module.getNamedMetadata(kEarlyDone)) return PreservedAnalyses::all();
  module.getOrInsertNamedMetadata(kEarlyDone);
  DebugTypes types(module);
  read_function_annotations(module);
  read_field_annotations(module, types);
  unsigned number = 0;
  for (Function& function : module) {
    if (function.isDeclaration() || function.hasFnAttribute(kIgnored)) continue;
    ValueTypes values(function, types);
    name_allocations(function, values, types);
    name_accesses(function, values);
    mark_unit(function, values, types, number);
  }
  forbid_speculation(module);
  return PreservedAnalyses::none();
}

}  // namespace raddle::pass
