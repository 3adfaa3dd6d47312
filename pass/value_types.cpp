#include "pass/value_types.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <numeric>

#include "trace/site.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr int kDepth = 16;

// The function's parameters are types 1, 2, ...; type 0 is what it returns.
const DIType* signature_type(const DISubprogram* function, unsigned index) {
  if (!function || !function->getType()) return nullptr;
  DITypeRefArray types = function->getType()->getTypeArray();
  return index < types.size() ? types[index] : nullptr;
}

}  // namespace

ValueTypes::ValueTypes(const Function& function, const DebugTypes& types)
    : function_(function), types_(types), layout_(function.getDataLayout()) {
  auto note = [&](const Value* where, const DILocalVariable* variable, const DIExpression* how,
                  bool declares) {
    if (!where || !variable) return;
    bool deref = how->getNumElements() == 1 && how->getElement(0) == dwarf::DW_OP_deref;
    if (how->getNumElements() == 0) {
      (declares ? in_memory_ : in_value_).try_emplace(where, variable);
    } else if (deref && !declares) {
      in_memory_.try_emplace(where, variable);
    }
  };
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      for (const DbgRecord& record : instruction.getDbgRecordRange()) {
        const auto* variable = dyn_cast<DbgVariableRecord>(&record);
        if (!variable || variable->getNumVariableLocationOps() != 1) continue;
        note(variable->getVariableLocationOp(0), variable->getVariable(), variable->getExpression(),
             variable->getType() == DbgVariableRecord::LocationType::Declare);
      }
      if (const auto* intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction)) {
        if (intrinsic->getNumVariableLocationOps() != 1) continue;
        note(intrinsic->getVariableLocationOp(0), intrinsic->getVariable(),
             intrinsic->getExpression(), isa<DbgDeclareInst>(intrinsic));
      }
    }
  }
}

const DILocalVariable* ValueTypes::variable(const Value* allocation) const {
  auto at = in_memory_.find(allocation);
  return at == in_memory_.end() ? nullptr : at->second;
}

const DIType* ValueTypes::argument_type(const Argument& argument) const {
  // One IR argument for each parameter, but for classes in several registers: without debug
  // variables only `this` is certain.
  if (!has_object(function_.getSubprogram())) return nullptr;
  unsigned index = function_.hasStructRetAttr() ? 1 : 0;
  if (argument.getArgNo() != index) return nullptr;
  return signature_type(function_.getSubprogram(), 1);
}

const DIType* ValueTypes::pointee_of(const Value* pointer) { return pointee_of(pointer, 0); }

const DIType* ValueTypes::pointee_of(const Value* pointer, int depth) {
  if (depth > kDepth) return nullptr;
  if (auto known = pointees_.find(pointer); known != pointees_.end()) return known->second;
  pointees_[pointer] = nullptr;  // ends cycles of phis
  const DIType* type = compute_pointee(pointer, depth);
  pointees_[pointer] = type;
  return type;
}

const DIType* ValueTypes::compute_pointee(const Value* pointer, int depth) {
  if (auto at = in_memory_.find(pointer); at != in_memory_.end()) return at->second->getType();
  if (auto at = in_value_.find(pointer); at != in_value_.end()) {
    if (const DIType* type = pointee(at->second->getType())) return type;
  }
  if (const auto* global = dyn_cast<GlobalVariable>(pointer)) {
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    global->getDebugInfo(expressions);
    for (DIGlobalVariableExpression* expression : expressions) {
      if (expression->getExpression()->getNumElements() == 0) {
        return expression->getVariable()->getType();
      }
    }
    return nullptr;
  }
  if (const auto* argument = dyn_cast<Argument>(pointer)) return pointee(argument_type(*argument));
  if (const auto* load = dyn_cast<LoadInst>(pointer)) {
    return stored_pointee(place(load->getPointerOperand(), depth + 1));
  }
  if (const auto* call = dyn_cast<CallBase>(pointer)) {
    if (const auto* intrinsic = dyn_cast<IntrinsicInst>(call)) {
      switch (intrinsic->getIntrinsicID()) {
        case Intrinsic::ptr_annotation:
        case Intrinsic::launder_invariant_group:
        case Intrinsic::strip_invariant_group:
        case Intrinsic::threadlocal_address:
          return pointee_of(intrinsic->getArgOperand(0), depth + 1);
        default:
          return nullptr;
      }
    }
    const Function* callee = call->getCalledFunction();
    return callee ? pointee(signature_type(callee->getSubprogram(), 0)) : nullptr;
  }
  if (const auto* phi = dyn_cast<PHINode>(pointer)) {
    for (const Value* incoming : phi->incoming_values()) {
      if (const DIType* type = pointee_of(incoming, depth + 1)) return type;
    }
    return nullptr;
  }
  if (const auto* select = dyn_cast<SelectInst>(pointer)) {
    if (const DIType* type = pointee_of(select->getTrueValue(), depth + 1)) return type;
    return pointee_of(select->getFalseValue(), depth + 1);
  }
  return nullptr;
}

const DIType* ValueTypes::stored_pointee(const Place& from) const {
  if (!from.root) return nullptr;
  // Down to the member that holds the pointer.
  const DIType* type = strip(from.root);
  std::uint64_t offset = from.offset < 0 ? 0 : from.offset;
  for (int level = 0; type && level < kDepth; ++level) {
    if (const DIType* element = array_element(type)) {
      if (size_of(element) == 0) return nullptr;
      offset %= size_of(element);
      type = strip(element);
      continue;
    }
    const DICompositeType* composite = types_.definition(as_class(type));
    if (!composite) break;
    const DIDerivedType* next = types_.member_at(composite, offset);
    if (!next) return nullptr;
    offset -= next->getOffsetInBits() / 8;
    type = strip(next->getBaseType());
  }
  return offset == 0 ? pointee(type) : nullptr;
}

Place ValueTypes::place(const Value* pointer) { return place(pointer, 0); }

Place ValueTypes::place(const Value* pointer, int depth) {
  if (depth > kDepth) return {};
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(pointer)) {
    switch (intrinsic->getIntrinsicID()) {
      case Intrinsic::ptr_annotation:
      case Intrinsic::launder_invariant_group:
      case Intrinsic::strip_invariant_group:
      case Intrinsic::threadlocal_address:
        return place(intrinsic->getArgOperand(0), depth + 1);
      default:
        break;
    }
  }
  const auto* computation = dyn_cast<GEPOperator>(pointer);
  if (!computation || !computation->getType()->isPointerTy()) {
    Place here;
    here.root = pointee_of(pointer, depth);
    here.base = pointer;
    return here;
  }
  Place here = place(computation->getPointerOperand(), depth + 1);
  for (auto step = gep_type_begin(computation), end = gep_type_end(computation); step != end;
       ++step) {
    const Value* index = step.getOperand();
    if (StructType* type = step.getStructTypeOrNull()) {
      unsigned field = static_cast<unsigned>(cast<ConstantInt>(index)->getZExtValue());
      here.offset += layout_.getStructLayout(type)->getElementOffset(field).getFixedValue();
      continue;
    }
    TypeSize stride = step.getSequentialElementStride(layout_);
    if (stride.isScalable()) return {};
    if (const auto* constant = dyn_cast<ConstantInt>(index)) {
      here.offset += constant->getSExtValue() * static_cast<std::int64_t>(stride.getFixedValue());
    } else {
      here.stride = std::gcd(here.stride, stride.getFixedValue());
    }
  }
  if (here.root) return here;
  // Where debug information is silent, the type of the computation may speak.
  const auto* type = dyn_cast<StructType>(computation->getSourceElementType());
  if (!type || !type->hasName() || computation->getNumOperands() < 3) return here;
  const DICompositeType* found = types_.find_ir(type->getName());
  if (!found || size_of(found) != layout_.getTypeAllocSize(const_cast<StructType*>(type)))
    return here;
  Place again;
  again.root = found;
  again.base = computation->getPointerOperand();
  APInt offset(layout_.getIndexTypeSizeInBits(computation->getType()), 0);
  if (!computation->accumulateConstantOffset(layout_, offset)) return here;
  again.offset = offset.getSExtValue();
  return again;
}

AccessName ValueTypes::name(const Value* pointer, std::uint64_t size) {
  AccessName access;
  Place where = place(pointer);
  if (!where.root) return access;
  // Elements of an array are objects of their own.
  const DIType* root = strip(where.root);
  for (;;) {
    std::uint64_t bytes = size_of(root);
    const DIType* element = array_element(root);
    if (element) bytes = size_of(element);
    if (bytes == 0) return access;
    if (where.stride % bytes == 0) where.stride = 0;
    std::int64_t whole = static_cast<std::int64_t>(bytes);
    where.offset = ((where.offset % whole) + whole) % whole;
    if (!element) break;
    root = strip(element);
  }
  const DICompositeType* cls = types_.definition(as_class(root));
  if (!cls) return access;
  access.cls = types_.name(cls);
  if (access.cls.empty()) return access;
  access.exact = where.stride == 0;
  access.offset = access.exact ? static_cast<std::uint32_t>(where.offset) : kUnknownOffset;
  if (auto field = types_.field(cls, where.offset, size)) {
    access.field = field->path;
    access.set = field->set;
    if (field->is_const) access.flags |= kSiteConstField;
    if (field->is_atomic) access.flags |= kSiteAtomicField;
  }
  return access;
}

}  // namespace raddle::pass
