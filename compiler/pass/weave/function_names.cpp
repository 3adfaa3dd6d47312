#include "compiler/pass/weave/function_names.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace raddle::pass {

using namespace llvm;

namespace {

// The demangler returns memory of malloc().
std::string owned(char* text) {
  std::string out = text ? text : "";
  std::free(text);
  return out;
}

// Classes are compared in one way of writing.
std::string plain(StringRef cls) {
  return pointcut::text_of(pointcut::tokens_of({cls.data(), cls.size()}, pointcut::Source::text));
}

}  // namespace

FunctionNames::FunctionNames(const Module& module, const DebugTypes& types) : types_(types) {
  DebugInfoFinder finder;
  finder.processModule(module);
  for (const DISubprogram* subprogram : finder.subprograms())
    if (!subprogram->getLinkageName().empty())
      declared_.try_emplace(subprogram->getLinkageName(), subprogram);
  for (const DIType* type : finder.types()) {
    const DICompositeType* cls = as_class(type);
    if (!cls || cls->isForwardDecl()) continue;
    classes_.try_emplace(plain(types.name(cls)), cls);
    for (const DINode* element : cls->getElements()) {
      const auto* member = dyn_cast_or_null<DISubprogram>(element);
      if (member && !member->getLinkageName().empty())
        declared_.try_emplace(member->getLinkageName(), member);
    }
  }
}

const DISubprogram* FunctionNames::declaration(StringRef mangled) const {
  auto at = declared_.find(mangled);
  return at == declared_.end() ? nullptr : at->second;
}

std::string FunctionNames::type_text(const DIType* type, int depth) const {
  if (!type) return "void";
  if (depth > 20) return "";
  const auto* derived = dyn_cast<DIDerivedType>(type);
  if (!derived) {
    const DICompositeType* cls = as_class(type);
    return cls ? types_.name(cls) : type->getName().str();
  }
  const auto base = [&] { return type_text(derived->getBaseType(), depth + 1); };
  switch (derived->getTag()) {
    case dwarf::DW_TAG_pointer_type:
      return base() + "*";
    case dwarf::DW_TAG_reference_type:
      return base() + "&";
    case dwarf::DW_TAG_rvalue_reference_type:
      return base() + "&&";
    case dwarf::DW_TAG_const_type:
      return base() + " const";
    case dwarf::DW_TAG_volatile_type:
      return base() + " volatile";
    default:
      return base();
  }
}

std::unique_ptr<NamedFunction> FunctionNames::make(StringRef mangled, const DISubprogram* declared,
                                                   const Function* function) const {
  auto out = std::make_unique<NamedFunction>();
  out->type = declared ? declared->getType() : nullptr;
  std::string returns;
  if (out->type && out->type->getTypeArray().size() > 0)
    returns = type_text(out->type->getTypeArray()[0]);
  ItaniumPartialDemangler demangler;
  const std::string name = mangled.str();
  if (demangler.partialDemangle(name.c_str()) || !demangler.isFunction()) {
    std::string parameters;
    if (out->type) {
      DITypeRefArray types = out->type->getTypeArray();
      for (unsigned i = 1; i < types.size(); ++i)
        parameters += (i == 1 ? "" : ", ") + (types[i] ? type_text(types[i]) : std::string(".."));
    }
    out->name = pointcut::make_function("", name, "(" + parameters + ")", returns, false);
    // A function of C without debug information.
    if (!out->type && function) out->name.parameters.resize(function->arg_size());
    return out;
  }
  if (returns.empty()) returns = owned(demangler.getFunctionReturnType(nullptr, nullptr));
  out->special = demangler.isCtorOrDtor();
  out->of_base = out->special && (mangled.contains("C2E") || mangled.contains("D2E"));
  out->name = pointcut::make_function(
      owned(demangler.getFunctionDeclContextName(nullptr, nullptr)),
      owned(demangler.getFunctionBaseName(nullptr, nullptr)),
      owned(demangler.getFunctionParameters(nullptr, nullptr)), out->special ? "" : returns,
      demangler.hasFunctionQualifiers() &&
          owned(demangler.finishDemangle(nullptr, nullptr)).find(") const") != std::string::npos);
  if (declared) {
    const DISubprogram* member = declared->getDeclaration() ? declared->getDeclaration() : declared;
    out->has_this = has_object(member) || has_object(declared);
  } else if (function && !out->name.scope.empty()) {
    // Without debug information: there is one argument more than the name tells of.
    const unsigned hidden = function->hasStructRetAttr() ? 1 : 0;
    out->has_this =
        out->special || function->arg_size() == hidden + out->name.parameters.size() + 1;
  }
  out->has_this |= out->special;
  return out;
}

const NamedFunction& FunctionNames::of(const Function& function) {
  std::unique_ptr<NamedFunction>& known = named_[&function];
  if (!known) {
    const DISubprogram* declared = function.getSubprogram();
    if (!declared) declared = declaration(function.getName());
    known = make(function.getName(), declared, &function);
  }
  return *known;
}

const DISubprogram* FunctionNames::find_slot(const DICompositeType* cls, unsigned slot, int depth,
                                             const DISubprogram*& destructor) const {
  cls = types_.definition(cls);
  if (!cls || depth > 20) return nullptr;
  for (const DINode* element : cls->getElements()) {
    const auto* member = dyn_cast_or_null<DISubprogram>(element);
    if (!member || member->getVirtuality() == 0) continue;
    if (member->getName().starts_with("~")) {
      if (!destructor) destructor = member;
    } else if (member->getVirtualIndex() == slot) {
      return member;
    }
  }
  // The table of the first base is the beginning of this one.
  for (const DINode* element : cls->getElements()) {
    const auto* base = dyn_cast_or_null<DIDerivedType>(element);
    if (!base || base->getTag() != dwarf::DW_TAG_inheritance || base->getOffsetInBits() != 0 ||
        (base->getFlags() & DINode::FlagVirtual) != 0)
      continue;
    if (const DISubprogram* found =
            find_slot(as_class(base->getBaseType()), slot, depth + 1, destructor))
      return found;
  }
  return nullptr;
}

const NamedFunction* FunctionNames::in_slot(const DICompositeType* cls, unsigned slot) {
  const DISubprogram* destructor = nullptr;
  const DISubprogram* found = find_slot(cls, slot, 0, destructor);
  if (!found) found = destructor;  // which has two slots, and no number
  if (!found) return nullptr;
  if (found == destructor) return &destructor_of(cls);
  return &of_virtual(found);
}

const NamedFunction& FunctionNames::of_virtual(const DISubprogram* member) {
  std::unique_ptr<NamedFunction>& known = virtual_[member];
  if (!known) known = make(member->getLinkageName(), member, nullptr);
  known->has_this = true;
  return *known;
}

std::vector<VirtualMember> FunctionNames::virtual_members(const DICompositeType* cls) {
  std::vector<VirtualMember> out;
  add_virtual_members(cls, 0, true, 0, out);
  return out;
}

// The table of a first base is the beginning of the class's own, `own`; other bases have theirs.
void FunctionNames::add_virtual_members(const DICompositeType* cls, std::uint64_t base, bool own,
                                        int depth, std::vector<VirtualMember>& out) {
  cls = types_.definition(cls);
  if (!cls || depth > 20) return;
  for (unsigned slot = 0; own && slot < end_of_table(cls, 0); ++slot) {
    const DISubprogram* destructor = nullptr;
    if (const DISubprogram* found = find_slot(cls, slot, 0, destructor))
      out.push_back({slot, base, &of_virtual(found), found});
  }
  for (const DINode* element : cls->getElements()) {
    const auto* other = dyn_cast_or_null<DIDerivedType>(element);
    if (!other || other->getTag() != dwarf::DW_TAG_inheritance ||
        (other->getFlags() & DINode::FlagVirtual) != 0)
      continue;
    const std::uint64_t at = other->getOffsetInBits() / 8;
    add_virtual_members(as_class(other->getBaseType()), base + at, at != 0, depth + 1, out);
  }
}

// More than there are: where a table ends is known only of what its class and the bases declare.
unsigned FunctionNames::end_of_table(const DICompositeType* cls, int depth) const {
  cls = types_.definition(cls);
  if (!cls || depth > 20) return 0;
  unsigned end = 0;
  for (const DINode* element : cls->getElements()) {
    const auto* member = dyn_cast_or_null<DISubprogram>(element);
    if (member && member->getVirtuality() != 0 && !member->getName().starts_with("~"))
      end = std::max(end, member->getVirtualIndex() + 1);
    const auto* base = dyn_cast_or_null<DIDerivedType>(element);
    if (base && base->getTag() == dwarf::DW_TAG_inheritance)
      end = std::max(end, end_of_table(as_class(base->getBaseType()), depth + 1));
  }
  return end;
}

const DICompositeType* FunctionNames::class_named(const std::string& name) const {
  const auto at = classes_.find(plain(name));
  return at == classes_.end() ? nullptr : at->second;
}

const NamedFunction& FunctionNames::destructor_of(const DICompositeType* cls) {
  const std::string name = types_.name(cls);
  std::unique_ptr<NamedFunction>& known = destructors_[name];
  if (known) return *known;
  known = std::make_unique<NamedFunction>();
  known->name = pointcut::make_function(name, "", "()", "", false);
  if (!known->name.scope.empty() && !known->name.scope.back().empty())
    known->name.name = "~" + known->name.scope.back()[0];
  known->special = known->has_this = true;
  return *known;
}

std::vector<std::string> FunctionNames::bases(const std::string& cls) const {
  std::vector<std::string> out;
  auto at = classes_.find(plain(cls));
  if (at == classes_.end()) return out;
  for (const DINode* element : at->second->getElements()) {
    const auto* base = dyn_cast_or_null<DIDerivedType>(element);
    if (!base || base->getTag() != dwarf::DW_TAG_inheritance) continue;
    if (const DICompositeType* type = as_class(base->getBaseType()))
      out.push_back(plain(types_.name(type)));
  }
  return out;
}

bool FunctionNames::derives(const std::string& cls, const std::string& base) const {
  std::vector<std::string> todo{cls};
  std::set<std::string> seen;
  while (!todo.empty()) {
    const std::string next = todo.back();
    todo.pop_back();
    if (!seen.insert(next).second) continue;
    for (const std::string& one : bases(next)) {
      if (one == base) return true;
      todo.push_back(one);
    }
  }
  return false;
}

}  // namespace raddle::pass
