#include "compiler/pass/markers.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>

#include "compiler/pass/names.hpp"

namespace raddle::pass {

using namespace llvm;

void make_marker(IRBuilder<>& builder, bool enter, const MarkerText& text, Value* self) {
  LLVMContext& context = builder.getContext();
  auto number = [&](std::uint64_t value) -> Metadata* {
    return ConstantAsMetadata::get(builder.getInt32(static_cast<std::uint32_t>(value)));
  };
  MDNode* node = MDNode::get(
      context, {MDString::get(context, text.cls), number(text.flags), number(text.class_size),
                number(text.number), number(text.reaches_out)});
  SmallVector<Value*, 2> operands = {MetadataAsValue::get(context, node)};
  if (self) operands.push_back(MetadataAsValue::get(context, ValueAsMetadata::get(self)));
  Value* null = ConstantPointerNull::get(builder.getPtrTy());
  Module* module = builder.GetInsertBlock()->getModule();
  Function* intrinsic = Intrinsic::getDeclaration(module, Intrinsic::var_annotation,
                                                  {builder.getPtrTy(), builder.getPtrTy()});
  builder.CreateCall(intrinsic, {null, null, null, builder.getInt32(0), null},
                     {OperandBundleDef(enter ? kEnterTag : kExitTag, operands)});
}

bool read_marker(Instruction& instruction, Marker& marker) {
  auto* call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::var_annotation) return false;
  auto bundle = call->getOperandBundle(kEnterTag);
  bool enter = bundle.has_value();
  if (!enter) bundle = call->getOperandBundle(kExitTag);
  if (!bundle) return false;
  auto* node = cast<MDNode>(cast<MetadataAsValue>(bundle->Inputs[0])->getMetadata());
  auto number = [&](unsigned i) {
    return static_cast<std::uint32_t>(
        mdconst::extract<ConstantInt>(node->getOperand(i))->getZExtValue());
  };
  marker = {};
  marker.call = call;
  marker.enter = enter;
  marker.text.cls = cast<MDString>(node->getOperand(0))->getString().str();
  marker.text.flags = static_cast<std::uint8_t>(number(1));
  marker.text.class_size = number(2);
  marker.text.number = number(3);
  marker.text.reaches_out = number(4) != 0;
  if (bundle->Inputs.size() > 1) {
    Metadata* self = cast<MetadataAsValue>(bundle->Inputs[1])->getMetadata();
    auto* value = dyn_cast_or_null<ValueAsMetadata>(self);
    if (value && !isa<UndefValue>(value->getValue())) {
      marker.self = value->getValue();
    } else {
      marker.self_gone = true;
    }
  }
  return true;
}

}  // namespace raddle::pass
