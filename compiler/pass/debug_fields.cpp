// DebugTypes: finds the field that an access touches.
#include <llvm/BinaryFormat/Dwarf.h>

#include "compiler/pass/debug_types.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {
constexpr int kDeepest = 16;  // classes in classes; a type that contains itself is broken
}  // namespace

std::optional<Field> DebugTypes::field(const DICompositeType* type, std::uint64_t offset,
                                       std::uint64_t size, bool range) const {
  Field found;
  found.range = range;
  type = definition(type);
  if (!type || !find_field(type, offset, size, 0, found)) return std::nullopt;
  found.is_number = is_number(type, offset, size);
  return found;
}

namespace {

bool is_atomic_type(const DIType* type) {
  for (const DIType* at = type; at;) {
    const auto* derived = dyn_cast<DIDerivedType>(at);
    if (!derived) break;
    if (derived->getTag() == dwarf::DW_TAG_atomic_type) return true;
    if (derived->getTag() == dwarf::DW_TAG_pointer_type) return false;
    at = derived->getBaseType();
  }
  const auto* composite = as_class(type);
  if (!composite || !in_std(composite)) return false;
  StringRef name = composite->getName();
  return name.starts_with("atomic<") || name.starts_with("__atomic_") || name == "atomic_flag";
}

bool is_const_type(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    if (derived->getTag() == dwarf::DW_TAG_const_type) return true;
    if (derived->getTag() != dwarf::DW_TAG_typedef &&
        derived->getTag() != dwarf::DW_TAG_volatile_type &&
        derived->getTag() != dwarf::DW_TAG_atomic_type) {
      return false;
    }
    type = derived->getBaseType();
  }
  // An array is const if its elements are.
  if (const DIType* element = array_element(type)) return is_const_type(element);
  return false;
}

void add_name(std::string& path, StringRef name) {
  if (name.empty()) return;  // anonymous struct or union: its members are the object's own
  if (!path.empty()) path += '.';
  path += name;
}

std::uint64_t bits_of(const DIDerivedType* member) {
  if (member->isBitField()) return member->getSizeInBits();
  return size_of(member->getBaseType()) * 8;
}

}  // namespace

// Down to what has no members: also through those of the library, which have no names here. What
// is not known may be a number.
bool DebugTypes::is_number(const DIType* type, std::uint64_t offset, std::uint64_t size,
                           int depth) const {
  if (depth > kDeepest) return true;
  while (const DIType* element = array_element(type)) {
    if (size_of(element) == 0) return true;
    offset %= size_of(element);
    type = element;
  }
  const DICompositeType* cls = as_class(type);
  if (cls == nullptr) {
    const auto* basic = dyn_cast_or_null<DIBasicType>(strip(type));
    const bool floats = basic != nullptr && basic->getEncoding() == dwarf::DW_ATE_float;
    return !floats && (size_of(type) == 0 || (offset == 0 && size_of(type) == size));
  }
  cls = definition(cls);
  if (cls->getSizeInBits() == 0) return true;
  const bool library = in_std(cls) || cls->getName().starts_with("__");
  return any_of(cls->getElements(), [&](const DINode* node) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(node);
    if (!member || member->isStaticMember() || member->isBitField()) return false;
    const bool inherits = member->getTag() == dwarf::DW_TAG_inheritance;
    if (inherits ? member->isVirtual() : member->getTag() != dwarf::DW_TAG_member) return false;
    const std::uint64_t begin = member->getOffsetInBits() / 8;
    const std::uint64_t bytes = size_of(member->getBaseType());
    if (offset < begin || begin + bytes <= offset) return false;
    // Bytes of the library's are storage for what is made there, of a type that nobody knows here.
    if (const DIType* element = array_element(member->getBaseType()))
      if (library && size_of(element) == 1) return true;
    return is_number(member->getBaseType(), offset - begin, size, depth + 1);
  });
}

// Descends from a member into its own members or elements.
bool DebugTypes::enter_member(const DIType* type, std::uint64_t offset, std::uint64_t size,
                              int depth, Field& field) const {
  bool element_of_array = false;
  while (const DIType* element = array_element(type)) {
    std::uint64_t bytes = size_of(element);
    if (bytes == 0) return true;
    field.elements.push_back(bytes);
    if (size > bytes && size_of(type) >= size) return true;  // several elements at once
    offset %= bytes;
    type = element;
    if (!element_of_array) field.path += "[]";
    element_of_array = true;
  }
  const DICompositeType* inner = definition(as_class(type));
  if (!inner || inner->getSizeInBits() == 0) return true;
  if (offset == 0 && (field.range ? size >= size_of(inner) : size > size_of(inner))) return true;
  std::string before = field.path;
  // Members of a library's class have names that the user does not know, unless they are public.
  if (!find_field(inner, offset, size, depth + 1, field)) field.path = before;
  return true;
}

bool DebugTypes::find_field(const DICompositeType* type, std::uint64_t offset, std::uint64_t size,
                            int depth, Field& field) const {
  if (depth > kDeepest) return false;
  std::uint64_t first = offset * 8;
  std::uint64_t last = first + size * 8;
  const DIDerivedType* best = nullptr;
  SmallVector<const DIDerivedType*, 4> alternatives;  // members of a union, bit-fields of a unit
  bool bit_fields = false;
  for (const DINode* node : type->getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(node);
    if (!member || member->isStaticMember()) continue;
    if (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance) {
      continue;
    }
    if (member->getTag() == dwarf::DW_TAG_inheritance && member->isVirtual()) continue;
    std::uint64_t begin = member->getOffsetInBits();
    std::uint64_t end = begin + bits_of(member);
    if (begin == end) continue;  // empty base
    if (member->isBitField()) {
      if (begin < last && first < end) {
        alternatives.push_back(member);
        bit_fields = true;
      }
      continue;
    }
    if (begin <= first && first < end) {
      if (type->getTag() == dwarf::DW_TAG_union_type) {
        if (last <= end) alternatives.push_back(member);
        if (!best || (last <= end && bits_of(best) > bits_of(member))) best = member;
      } else {
        best = member;
      }
    }
  }
  if (best && !bit_fields) alternatives.clear();
  if (type->getTag() == dwarf::DW_TAG_union_type && !bit_fields) {
    // Several members have the size of the access: the program may mean any of them.
    for (const DINode* node : type->getElements()) {
      const auto* member = dyn_cast_or_null<DIDerivedType>(node);
      if (member && member->getTag() == dwarf::DW_TAG_member && bits_of(member) == size * 8 &&
          first == 0) {
        alternatives.push_back(member);
      }
    }
    if (alternatives.size() == 1) best = alternatives[0];
    if (alternatives.size() < 2) alternatives.clear();
  } else if (best) {
    alternatives.clear();
  }
  if (!alternatives.empty()) {
    std::string joined;
    for (const DIDerivedType* member : alternatives) {
      if (!joined.empty()) joined += '|';
      joined += member->getName();
    }
    add_name(field.path, joined);
    return true;
  }
  if (!best) return false;
  if (best->getTag() == dwarf::DW_TAG_inheritance) {
    const DICompositeType* base = definition(as_class(best->getBaseType()));
    return base && find_field(base, offset - best->getOffsetInBits() / 8, size, depth + 1, field);
  }
  StringRef member_name = best->getName();
  if (member_name.starts_with("_vptr")) {
    if (!field.path.empty()) field.path += '.';
    field.path += "(vptr)";
    return true;
  }
  field.is_atomic |= is_atomic_type(best->getBaseType());
  field.is_const |= is_const_type(best->getBaseType());
  bool library = in_std(type) || type->getName().starts_with("__");
  if (library && member_name.starts_with("_") && !field.path.empty()) {
    if (const DIType* element = array_element(best->getBaseType()); element && size_of(element))
      field.elements.push_back(size_of(element));
    return true;
  }
  std::uint64_t start = best->getOffsetInBits() / 8;
  if (!sets_.empty()) {
    auto set = sets_.find(name(type) + "@" + std::to_string(start));
    if (set != sets_.end()) field.set = set->second;
  }
  add_name(field.path, member_name);
  return enter_member(best->getBaseType(), offset - start, size, depth, field);
}

}  // namespace raddle::pass
