#include "pass/debug_types.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/Support/Path.h>

namespace raddle::pass {

using namespace llvm;

const DIType* strip(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_template_alias:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
      case dwarf::DW_TAG_atomic_type:
      case dwarf::DW_TAG_immutable_type:
        type = derived->getBaseType();
        continue;
      default:
        return type;
    }
  }
  return type;
}

const DICompositeType* as_class(const DIType* type) {
  const auto* composite = dyn_cast_or_null<DICompositeType>(strip(type));
  if (!composite) return nullptr;
  switch (composite->getTag()) {
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_union_type:
      return composite;
    default:
      return nullptr;
  }
}

const DIType* pointee(const DIType* type) {
  const auto* derived = dyn_cast_or_null<DIDerivedType>(strip(type));
  if (!derived) return nullptr;
  switch (derived->getTag()) {
    case dwarf::DW_TAG_pointer_type:
    case dwarf::DW_TAG_reference_type:
    case dwarf::DW_TAG_rvalue_reference_type:
      return derived->getBaseType();
    default:
      return nullptr;
  }
}

const DIType* array_element(const DIType* type) {
  const auto* composite = dyn_cast_or_null<DICompositeType>(strip(type));
  if (!composite || composite->getTag() != dwarf::DW_TAG_array_type) return nullptr;
  return composite->getBaseType();
}

std::uint64_t size_of(const DIType* type) {
  const DIType* plain = strip(type);
  return plain ? plain->getSizeInBits() / 8 : 0;
}

bool in_std(const DIScope* scope) {
  for (; scope; scope = scope->getScope()) {
    const auto* space = dyn_cast<DINamespace>(scope);
    if (!space || space->getScope()) continue;
    StringRef name = space->getName();
    return name == "std" || name == "__gnu_cxx" || name == "__cxxabiv1";
  }
  return false;
}

const DICompositeType* member_of(const DISubprogram* function) {
  if (!function) return nullptr;
  const auto* type = dyn_cast_or_null<DICompositeType>(function->getScope());
  return type && !type->getName().empty() ? type : nullptr;
}

bool has_object(const DISubprogram* function) {
  if (!member_of(function) || !function->getType()) return false;
  DITypeRefArray types = function->getType()->getTypeArray();
  return types.size() > 1 && types[1] && types[1]->isObjectPointer();
}

namespace {

constexpr char kLambda[] = "lambda at ";
constexpr char kUnnamed[] = "unnamed struct at ";

std::string prefixed(const std::string& prefix, StringRef name) {
  return prefix.empty() ? name.str() : prefix + "::" + name.str();
}

}  // namespace

DebugTypes::DebugTypes(const Module& module) {
  DebugInfoFinder finder;
  finder.processModule(module);
  for (const DIType* type : finder.types()) {
    if (const auto* derived = dyn_cast<DIDerivedType>(type)) {
      const DIType* base = derived->getBaseType();
      if (derived->getTag() == dwarf::DW_TAG_typedef && isa_and_nonnull<DICompositeType>(base) &&
          base->getName().empty()) {
        typedef_names_.try_emplace(base, derived->getName());
      }
    }
  }
  for (const DIType* type : finder.types()) {
    const auto* composite = as_class(type);
    if (composite != type || composite->isForwardDecl()) continue;
    if (!composite->getIdentifier().empty()) by_identifier_[composite->getIdentifier()] = composite;
    std::string full = name(composite);
    if (full.empty()) continue;
    by_name_[full] = composite;
    // IR names have no template arguments.
    std::string bare = StringRef(full).split('<').first.str();
    auto [at, fresh] = by_short_name_.try_emplace(bare, composite);
    if (!fresh && at->second != composite) at->second = nullptr;
  }
}

std::string DebugTypes::name(const DIScope* scope) const {
  if (!scope || isa<DIFile>(scope) || isa<DICompileUnit>(scope)) return {};
  std::string outer = name(scope->getScope());
  if (const auto* space = dyn_cast<DINamespace>(scope)) {
    if (space->getExportSymbols()) return outer;  // inline
    return prefixed(outer, space->getName().empty() ? "(anonymous namespace)" : space->getName());
  }
  if (const auto* function = dyn_cast<DISubprogram>(scope)) {
    return prefixed(outer, function->getName());
  }
  const auto* type = dyn_cast<DIType>(scope);
  if (!type) return outer;  // lexical blocks
  if (!type->getName().empty()) return prefixed(outer, type->getName());
  auto alias = typedef_names_.find(type);
  if (alias != typedef_names_.end()) return prefixed(outer, alias->second);
  if (!as_class(type) || type->getLine() == 0) return {};
  const char* what = type->getTag() == dwarf::DW_TAG_class_type ? kLambda : kUnnamed;
  return what + sys::path::filename(type->getFilename()).str() + ":" +
         std::to_string(type->getLine());
}

bool is_unnamed(StringRef name) { return name.starts_with(kLambda) || name.starts_with(kUnnamed); }

const DICompositeType* DebugTypes::find(StringRef tbaa_name) const {
  if (auto at = by_identifier_.find(tbaa_name); at != by_identifier_.end()) return at->second;
  std::string plain = tbaa_name.str();
  if (tbaa_name.starts_with("_ZTS")) {
    plain = demangle(plain);
    StringRef rest = plain;
    rest.consume_front("typeinfo name for ");
    plain = rest.str();
  }
  auto at = by_name_.find(plain);
  return at == by_name_.end() ? nullptr : at->second;
}

const DICompositeType* DebugTypes::find_ir(StringRef ir_name) const {
  if (!ir_name.consume_front("class.") && !ir_name.consume_front("struct.")) {
    ir_name.consume_front("union.");
  }
  ir_name.consume_back(".base");
  auto at = by_short_name_.find(ir_name);
  if (at == by_short_name_.end()) {
    auto [front, number] = ir_name.rsplit('.');
    unsigned ignored;
    if (!number.getAsInteger(10, ignored)) at = by_short_name_.find(front);
  }
  return at == by_short_name_.end() ? nullptr : at->second;
}

const DICompositeType* DebugTypes::definition(const DICompositeType* type) const {
  if (!type || !type->isForwardDecl()) return type;
  if (auto at = by_identifier_.find(type->getIdentifier()); at != by_identifier_.end()) {
    return at->second;
  }
  auto at = by_name_.find(name(type));
  return at == by_name_.end() ? type : at->second;
}

void DebugTypes::add_set(StringRef cls, std::uint64_t offset, std::string set) {
  sets_[cls.str() + "@" + std::to_string(offset)] = std::move(set);
}

const DICompositeType* DebugTypes::class_at(const DIType* type, std::uint64_t& offset,
                                            std::uint64_t size) const {
  for (int level = 0; level < 16; ++level) {
    while (const DIType* element = array_element(type)) {
      if (size_of(element) == 0) return nullptr;
      offset %= size_of(element);
      type = element;
    }
    const DICompositeType* composite = definition(as_class(type));
    if (!composite || size_of(composite) < size) return nullptr;
    if (size_of(composite) == size) return composite;
    const DIDerivedType* next = member_at(composite, offset);
    if (!next) return nullptr;
    offset -= next->getOffsetInBits() / 8;
    type = next->getBaseType();
  }
  return nullptr;
}

// Where the scalar that contains an offset ends; 0 if there is none, or it is ambiguous.
std::uint64_t DebugTypes::leaf_end(const DIType* type, std::uint64_t offset) const {
  std::uint64_t start = 0;
  for (int level = 0; level < 16; ++level) {
    if (const DIType* element = array_element(type)) {
      std::uint64_t bytes = size_of(element);
      if (bytes == 0) return 0;
      start += (offset - start) / bytes * bytes;
      type = element;
      continue;
    }
    const DICompositeType* composite = definition(as_class(type));
    if (!composite) return start + size_of(type);
    if (composite->getTag() == dwarf::DW_TAG_union_type) return 0;
    const DIDerivedType* next = member_at(composite, offset - start);
    if (!next) return 0;
    start += next->getOffsetInBits() / 8;
    type = next->getBaseType();
  }
  return 0;
}

SmallVector<std::uint64_t, 4> DebugTypes::parts(const DICompositeType* type, std::uint64_t offset,
                                                std::uint64_t size) const {
  SmallVector<std::uint64_t, 4> cuts;
  std::string last;
  for (std::uint64_t at = offset; at < offset + size;) {
    std::uint64_t end = leaf_end(type, at);
    if (end <= at || end > offset + size) return {};
    auto found = field(type, at, end - at);
    if (!found) return {};
    if (cuts.empty() || found->path != last) cuts.push_back(at - offset);
    last = found->path;
    at = end;
  }
  if (cuts.size() < 2) return {};
  cuts.push_back(size);
  return cuts;
}

const DIDerivedType* DebugTypes::member_at(const DICompositeType* type,
                                           std::uint64_t offset) const {
  for (const DINode* node : type->getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(node);
    if (!member || member->isStaticMember() || member->isBitField() || member->isVirtual())
      continue;
    if (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance) {
      continue;
    }
    std::uint64_t begin = member->getOffsetInBits() / 8;
    if (begin <= offset && offset < begin + size_of(member->getBaseType())) return member;
  }
  return nullptr;
}

std::optional<Field> DebugTypes::field(const DICompositeType* type, std::uint64_t offset,
                                       std::uint64_t size, bool range) const {
  Field found;
  found.range = range;
  type = definition(type);
  if (!type || !find_field(type, offset, size, 0, found)) return std::nullopt;
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

// Descends from a member into what it consists of.
bool DebugTypes::enter_member(const DIType* type, std::uint64_t offset, std::uint64_t size,
                              int depth, Field& field) const {
  bool element_of_array = false;
  while (const DIType* element = array_element(type)) {
    std::uint64_t bytes = size_of(element);
    if (bytes == 0) return true;
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
  // What is inside a library's class has no names that the user knows, unless they are public.
  if (!find_field(inner, offset, size, depth + 1, field)) field.path = before;
  return true;
}

bool DebugTypes::find_field(const DICompositeType* type, std::uint64_t offset, std::uint64_t size,
                            int depth, Field& field) const {
  if (depth > 16) return false;
  std::uint64_t first = offset * 8;
  std::uint64_t last = first + size * 8;
  const DIDerivedType* best = nullptr;
  SmallVector<const DIDerivedType*, 4> alternatives;  // of a union; bit-fields in a unit
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
    // Several members of the size that is accessed: any of them may be meant.
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
