#include "compiler/pass/value_types.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <cstdlib>
#include <numeric>
#include <optional>

#include "compiler/pass/names.hpp"
#include "protocol/site.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr int kDepth = 16;

// Types 1, 2, ... are those of the parameters; type 0 is that of the result.
const DIType* signature_type(const DISubprogram* function, unsigned index) {
  if (!function || !function->getType()) return nullptr;
  DITypeRefArray types = function->getType()->getTypeArray();
  return index < types.size() ? types[index] : nullptr;
}

// Of two types of the object at one address, the one that contains the other.
const DIType* larger(const DIType* a, const DIType* b) {
  if (!a || !b) return a ? a : b;
  bool class_a = as_class(a), class_b = as_class(b);
  if (class_a != class_b) return class_a ? a : b;
  return size_of(b) > size_of(a) ? b : a;
}

// A number of which only the program knows how many times `step` it is more than `begin`.
struct Index {
  std::int64_t begin = 0;
  std::uint64_t step = 1;  // 0: it is `begin`
};

constexpr std::int64_t kLargestIndex = std::int64_t{1} << 32;

std::optional<std::int64_t> small_constant(const Value* value) {
  const auto* constant = dyn_cast<ConstantInt>(value);
  if (!constant || constant->getBitWidth() > 64) return std::nullopt;
  std::int64_t number = constant->getSExtValue();
  if (number > kLargestIndex || number < -kLargestIndex) return std::nullopt;
  return number;
}

// The optimiser counts in bytes, from where a member begins: 4, 8, 12, ...
Index index_of(const Value* index, int depth) {
  if (std::optional<std::int64_t> number = small_constant(index)) return {*number, 0};
  if (depth > 4) return {};
  if (isa<SExtInst>(index) || isa<ZExtInst>(index))
    return index_of(cast<CastInst>(index)->getOperand(0), depth + 1);
  const auto* operation = dyn_cast<BinaryOperator>(index);
  std::optional<std::int64_t> by =
      operation ? small_constant(operation->getOperand(1)) : std::nullopt;
  if (by) {
    Index of = index_of(operation->getOperand(0), depth + 1);
    bool add = operation->getOpcode() == Instruction::Add ||
               (operation->getOpcode() == Instruction::Or &&
                cast<PossiblyDisjointInst>(operation)->isDisjoint());
    if (add) return {of.begin + *by, of.step};
    bool shift = operation->getOpcode() == Instruction::Shl && *by >= 0 && *by < 16;
    if (shift || (operation->getOpcode() == Instruction::Mul && *by > 0 && *by < 1 << 16)) {
      std::int64_t times = shift ? std::int64_t{1} << *by : *by;
      return {of.begin * times, of.step * static_cast<std::uint64_t>(times)};
    }
    return {};
  }
  const auto* phi = dyn_cast<PHINode>(index);
  if (!phi) return {};
  std::optional<std::int64_t> begin;
  std::uint64_t step = 0;
  for (const Value* incoming : phi->incoming_values()) {
    const auto* next = dyn_cast<BinaryOperator>(incoming);
    bool counts = next && next->getOpcode() == Instruction::Add && next->getOperand(0) == phi;
    std::optional<std::int64_t> number = small_constant(counts ? next->getOperand(1) : incoming);
    if (!number) return {};
    if (counts || begin) {
      std::int64_t apart = counts ? *number : *number - *begin;
      step = std::gcd(step, static_cast<std::uint64_t>(std::abs(apart)));
    } else {
      begin = number;
    }
  }
  return begin ? Index{*begin, step} : Index{};
}

}  // namespace

ValueTypes::ValueTypes(const Function& function, const DebugTypes& types)
    : function_(function), types_(types), layout_(function.getDataLayout()) {
  auto note = [&](const Value* where, const DILocalVariable* variable, const DIExpression* how,
                  const DILocation* location, bool lives_there) {
    if (!where || !variable || isa<Constant>(where)) return;
    bool deref = how->getNumElements() == 1 && how->getElement(0) == dwarf::DW_OP_deref;
    if (how->getNumElements() != 0 && !deref) return;
    if (lives_there || deref) {
      if (lives_there == deref) return;
      in_memory_.try_emplace(where,
                             Variable{variable, location ? location->getInlinedAt() : nullptr});
    } else if (const DIType* type = pointee(variable->getType())) {
      const DIType*& known = in_value_[where];
      known = larger(known, type);
    }
  };
  auto note_record = [&](const DbgVariableRecord& record) {
    const DILocation* location = record.getDebugLoc().get();
    if (record.isDbgAssign()) {
      note(record.getAddress(), record.getVariable(), record.getAddressExpression(), location,
           true);
      return;
    }
    if (record.getNumVariableLocationOps() != 1) return;
    note(record.getVariableLocationOp(0), record.getVariable(), record.getExpression(), location,
         record.getType() == DbgVariableRecord::LocationType::Declare);
  };
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      for (const DbgRecord& record : instruction.getDbgRecordRange()) {
        if (const auto* variable = dyn_cast<DbgVariableRecord>(&record)) note_record(*variable);
      }
      if (const auto* intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction)) {
        if (intrinsic->getNumVariableLocationOps() != 1) continue;
        note(intrinsic->getVariableLocationOp(0), intrinsic->getVariable(),
             intrinsic->getExpression(), intrinsic->getDebugLoc().get(),
             isa<DbgDeclareInst>(intrinsic));
      }
    }
  }
}

ValueTypes::Variable ValueTypes::variable(const Value* allocation) const {
  return in_memory_.lookup(allocation);
}

const DIType* ValueTypes::argument_type(const Argument& argument) const {
  // Each parameter is one IR argument, except that a class may take several registers. So without
  // debug variables only `this` is certain.
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
  if (auto at = in_memory_.find(pointer); at != in_memory_.end()) {
    return at->second.variable->getType();
  }
  return larger(in_value_.lookup(pointer), pointee_by_use(pointer, depth));
}

const DIType* ValueTypes::pointee_by_use(const Value* pointer, int depth) {
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
    if (const MDNode* node = call->getMetadata(kAllocateMetadata)) {
      return types_.find(cast<MDString>(node->getOperand(0))->getString());
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
  // Descends to the member that holds the pointer.
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

// The pointer is one of several: it iterates over the elements of an array, or points to one of two
// objects. If their offsets differ, the offset is unknown.
Place ValueTypes::joined_place(const Value* pointer, int depth) {
  Place joined;
  auto join = [&](const Value* incoming) {
    const auto* step = dyn_cast<GEPOperator>(incoming);
    APInt distance(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    if (step && step->getPointerOperand() == pointer) {
      bool constant = step->accumulateConstantOffset(layout_, distance);
      joined.stride = std::gcd(joined.stride, constant ? distance.abs().getZExtValue() : 1);
      return;
    }
    if (incoming == pointer || isa<Constant>(incoming)) return;
    Place one = place(incoming, depth + 4);
    if (!one.root) return;
    joined.stride = std::gcd(joined.stride, one.stride);
    if (!joined.root) {
      joined.root = one.root;
      joined.offset = one.offset;
      joined.base = one.base;
    } else if (joined.offset != one.offset) {
      auto difference = static_cast<std::uint64_t>(std::abs(joined.offset - one.offset));
      joined.stride = std::gcd(joined.stride, difference);
    }
  };
  if (const auto* phi = dyn_cast<PHINode>(pointer)) {
    if (const DIType* type = in_value_.lookup(phi); as_class(type)) {
      joined.root = type;
      joined.base = phi;
      return joined;
    }
    for (const Value* incoming : phi->incoming_values()) join(incoming);
  } else {
    join(cast<SelectInst>(pointer)->getTrueValue());
    join(cast<SelectInst>(pointer)->getFalseValue());
  }
  return joined;
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
  if (isa<PHINode>(pointer) || isa<SelectInst>(pointer)) {
    auto [known, fresh] = joined_.try_emplace(pointer);  // still empty in a cycle, which ends there
    if (!fresh) return known->second;
    Place joined = joined_place(pointer, depth);
    joined_[pointer] = joined;
    return joined;
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
    // This step goes from one object to another of the same type.
    bool whole = step == gep_type_begin(computation) && here.root && here.offset == 0 &&
                 here.stride == 0 && stride.getFixedValue() == size_of(here.root);
    if (whole) continue;
    Index at = index_of(index, 0);
    here.offset += at.begin * static_cast<std::int64_t>(stride.getFixedValue());
    here.stride = std::gcd(here.stride, at.step * stride.getFixedValue());
  }
  if (here.root) return here;
  // Debug information is silent: the type of the computation may help.
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

AccessName ValueTypes::name(const Value* pointer, std::uint64_t size, bool range) {
  AccessName access;
  Place where = place(pointer);
  if (!where.root) return access;
  // An element of an array is an object of its own.
  const DIType* root = strip(where.root);
  while (const DIType* element = array_element(root)) {
    std::uint64_t bytes = size_of(element);
    if (bytes == 0) return access;
    if (where.stride % bytes == 0) where.stride = 0;
    auto whole = static_cast<std::int64_t>(bytes);
    where.offset = ((where.offset % whole) + whole) % whole;
    root = strip(element);
  }
  auto bytes = static_cast<std::int64_t>(size_of(root));
  if (bytes == 0) return access;
  if (where.stride != 0 && where.stride % static_cast<std::uint64_t>(bytes) == 0) {
    where.stride = 0;
    where.offset = ((where.offset % bytes) + bytes) % bytes;
  }
  // The place is outside the object, so the pointer does not point to what it seemed to.
  if (where.offset < 0 || where.offset >= bytes) return access;
  const DICompositeType* cls = types_.definition(as_class(root));
  if (!cls) return access;
  access.cls = types_.name(cls);
  if (access.cls.empty()) return access;
  access.whole = where.stride == 0 && where.offset == 0 && size >= size_of(cls);
  access.exact = where.stride == 0;
  access.offset = access.exact ? static_cast<std::uint32_t>(where.offset) : kUnknownOffset;
  auto field = types_.field(cls, where.offset, size, range);
  // The step goes from one element of an array to another; else it may lead to any other field.
  bool known = access.exact || (field && any_of(field->elements, [&](std::uint64_t element) {
                                  return where.stride % element == 0;
                                }));
  if (field && known) {
    access.field = field->path;
    access.set = field->set;
    if (field->is_const) access.flags |= kSiteConstField;
    if (field->is_atomic) access.flags |= kSiteAtomicField;
    if (!field->is_number) access.flags |= kSiteNoNumber;
  } else if (access.exact && !types_.is_number(cls, access.offset, size)) {
    access.flags |= kSiteNoNumber;
  }
  return access;
}

}  // namespace raddle::pass
