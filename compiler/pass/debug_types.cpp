#include "compiler/pass/debug_types.hpp"

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

const DIType* element_of(const DIType* type) {
  const auto* composite = dyn_cast_or_null<DICompositeType>(strip(type));
  const bool array = composite && composite->getTag() == dwarf::DW_TAG_array_type;
  return array ? composite->getBaseType() : type;
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
  with_sets_.insert(cls);
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

// The end of the scalar that contains an offset; 0 if there is none, or if it is ambiguous.
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

}  // namespace raddle::pass
