#include "compiler/pass/attributes.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <utility>
#include <vector>

#include "compiler/pass/names.hpp"
#include "compiler/pass/value_types.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

StringRef text_of(const Value* value) {
  StringRef text;
  if (!value || !getConstantStringInfo(value, text)) return {};
  return text;
}

// no_sanitize(...): true if one of the names is Raddle's.
bool names_raddle(const Value* arguments) {
  const auto* variable = dyn_cast_or_null<GlobalVariable>(arguments);
  if (!variable || !variable->hasInitializer()) return false;
  for (const Value* argument : variable->getInitializer()->operand_values()) {
    StringRef text = text_of(argument);
    if (text == "raddle" || text == "all") return true;
  }
  return false;
}

// The class that declares the field at this address, and the field's offset in it.
std::pair<const DICompositeType*, std::uint64_t> annotated_field(const Value* pointer,
                                                                 ValueTypes& values,
                                                                 const DebugTypes& types) {
  Place place = values.place(pointer);
  if (!place.root || place.offset < 0) return {};
  const DIType* root = place.root;
  auto offset = static_cast<std::uint64_t>(place.offset);
  const auto* computation = dyn_cast<GEPOperator>(pointer);
  const auto* container =
      computation ? dyn_cast<StructType>(computation->getSourceElementType()) : nullptr;
  if (container) {
    // The last step of the computation went from that object to its field.
    const DataLayout& layout = values.layout();
    APInt field(64, 0);
    Place object = values.place(computation->getPointerOperand());
    if (!object.root || object.offset < 0 ||
        !computation->accumulateConstantOffset(layout, field)) {
      return {};
    }
    auto start = static_cast<std::uint64_t>(object.offset);
    std::uint64_t size = layout.getTypeAllocSize(const_cast<StructType*>(container));
    root = types.class_at(object.root, start, size);
    offset = start + field.getZExtValue();
  }
  const DICompositeType* cls = types.definition(as_class(root));
  while (cls) {
    const DIDerivedType* member = types.member_at(cls, offset);
    if (!member || member->getTag() != dwarf::DW_TAG_inheritance) break;
    offset -= member->getOffsetInBits() / 8;
    cls = types.definition(as_class(member->getBaseType()));
  }
  return {cls, offset};
}

}  // namespace

void read_function_annotations(Module& module) {
  const GlobalVariable* all = module.getGlobalVariable("llvm.global.annotations");
  if (!all || !all->hasInitializer()) return;
  const auto* entries = dyn_cast<ConstantArray>(all->getInitializer());
  if (!entries) return;
  for (const Value* entry : entries->operand_values()) {
    const auto* fields = dyn_cast<ConstantStruct>(entry);
    if (!fields || fields->getNumOperands() < 5) continue;
    StringRef text = text_of(fields->getOperand(1));
    auto* annotated = fields->getOperand(0)->stripPointerCasts();
    if (auto* global = dyn_cast<GlobalVariable>(annotated);
        global && text.consume_front(kSetAnnotation)) {
      LLVMContext& context = module.getContext();
      global->setMetadata(kGlobalSetMetadata, MDNode::get(context, MDString::get(context, text)));
      continue;
    }
    auto* function = dyn_cast<Function>(annotated);
    if (!function) continue;
    if (text == kIgnoreAnnotation ||
        (text == kNoSanitizeAnnotation && names_raddle(fields->getOperand(4)))) {
      function->addFnAttr(kIgnored);
    } else if (text == kAtomicAnnotation) {
      function->addFnAttr(kAtomicAnnotation);
    } else if (text == kUnitAnnotation) {
      function->addFnAttr(kUnitAnnotation);
    }
  }
}

void read_field_annotations(Module& module, DebugTypes& types) {
  LLVMContext& context = module.getContext();
  for (Function& function : module) {
    std::vector<IntrinsicInst*> found;
    for (BasicBlock& block : function) {
      for (Instruction& instruction : block) {
        auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
        if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::ptr_annotation &&
            text_of(intrinsic->getArgOperand(1)).starts_with("raddle:")) {
          found.push_back(intrinsic);
        }
      }
    }
    if (found.empty()) continue;
    ValueTypes values(function, types);
    for (IntrinsicInst* intrinsic : found) {
      StringRef set = text_of(intrinsic->getArgOperand(1));
      if (!set.consume_front(kSetAnnotation)) continue;
      auto [cls, offset] = annotated_field(intrinsic->getArgOperand(0), values, types);
      if (!cls) continue;
      types.add_set(types.name(cls), offset, set.str());
      module.getOrInsertNamedMetadata(kSetsMetadata)
          ->addOperand(MDNode::get(context, {MDString::get(context, types.name(cls)),
                                             ConstantAsMetadata::get(ConstantInt::get(
                                                 Type::getInt64Ty(context), offset)),
                                             MDString::get(context, set)}));
    }
    for (IntrinsicInst* intrinsic : found) {
      intrinsic->replaceAllUsesWith(intrinsic->getArgOperand(0));
      intrinsic->eraseFromParent();
    }
  }
}

}  // namespace raddle::pass
