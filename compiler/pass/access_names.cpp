#include "compiler/pass/access_names.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

#include "compiler/pass/names.hpp"
#include "protocol/global_sets.hpp"
#include "protocol/site.hpp"

namespace raddle::pass {

using namespace llvm;

void write_access_name(Instruction& access, const AccessName& name) {
  LLVMContext& context = access.getContext();
  auto number = [&](std::uint32_t value) -> Metadata* {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value));
  };
  access.setMetadata(kAccessMetadata,
                     MDNode::get(context, {MDString::get(context, name.cls),
                                           MDString::get(context, name.field), number(name.offset),
                                           number(name.flags), MDString::get(context, name.set)}));
}

bool read_access_name(const Instruction& access, AccessName& name) {
  const MDNode* node = access.getMetadata(kAccessMetadata);
  if (!node) return false;
  auto text = [&](unsigned i) { return cast<MDString>(node->getOperand(i))->getString().str(); };
  auto number = [&](unsigned i) {
    return mdconst::extract<ConstantInt>(node->getOperand(i))->getZExtValue();
  };
  name.cls = text(0);
  name.field = text(1);
  name.offset = static_cast<std::uint32_t>(number(2));
  name.flags = static_cast<std::uint8_t>(number(3));
  name.set = text(4);
  name.exact = name.offset != kUnknownOffset;
  return true;
}

AccessNames::AccessNames(const Function& function, const DebugTypes& types)
    : types_(types), values_(function, types) {}

namespace {

template <class Named>
void set_field(Named& access, const std::optional<Field>& field) {
  access.flags = 0;
  access.field.clear();
  access.set.clear();
  if (!field) return;
  access.field = field->path;
  access.set = field->set;
  if (field->is_const) access.flags |= kSiteConstField;
  if (field->is_atomic) access.flags |= kSiteAtomicField;
  if (!field->is_number) access.flags |= kSiteNoNumber;
}

// The annotated set of the global variable that the address is in, by the name that sites have for
// it; "" if there is none.
std::string global_set(const Value* pointer) {
  const auto* global = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer));
  const MDNode* set = global != nullptr ? global->getMetadata(kGlobalSetMetadata) : nullptr;
  if (set == nullptr) return {};
  return kSetOfGlobals + cast<MDString>(set->getOperand(0))->getString().str();
}

// What it reads or writes is a floating-point number, whatever is known of its variable.
bool is_floating(const Instruction& access) {
  const auto* store = dyn_cast<StoreInst>(&access);
  const Type* type = store != nullptr ? store->getValueOperand()->getType() : access.getType();
  return type->isFPOrFPVectorTy();
}

// Demangles "_ZTSN4bank7AccountE"; a name in C is plain already.
std::string plain_name(StringRef tbaa_name) {
  std::string text = tbaa_name.str();
  if (!tbaa_name.starts_with("_ZTS")) return text;
  text = demangle(text);
  StringRef rest = text;
  rest.consume_front("typeinfo name for ");
  return rest.str();
}

}  // namespace

// A tag of LLVM's struct-path TBAA is (containing type, accessed type, offset).
AccessName AccessNames::from_tbaa(const Instruction& access, std::uint64_t size) const {
  AccessName name;
  const MDNode* tag = access.getMetadata(LLVMContext::MD_tbaa);
  if (!tag || tag->getNumOperands() < 3) return name;
  const auto* container = dyn_cast_or_null<MDNode>(tag->getOperand(0));
  const auto* offset = mdconst::dyn_extract_or_null<ConstantInt>(tag->getOperand(2));
  if (!container || !offset || container->getNumOperands() == 0) return name;
  const auto* text = dyn_cast<MDString>(container->getOperand(0));
  if (!text) return name;
  if (tag->getOperand(0) == tag->getOperand(1)) {
    if (text->getString() == "vtable pointer") name.field = "(vptr)";
    return name;
  }
  name.offset = static_cast<std::uint32_t>(offset->getZExtValue());
  name.exact = true;
  const DICompositeType* type = types_.find(text->getString());
  name.cls = type ? types_.name(type) : plain_name(text->getString());
  if (!type) return name;
  set_field(name, types_.field(type, name.offset, size));
  return name;
}

void AccessNames::add_variable(const Value* pointer, SiteText& site) const {
  const Value* object = getUnderlyingObject(pointer);
  if (const auto* global = dyn_cast<GlobalVariable>(object)) {
    site.flags |= kSiteStatic;
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    global->getDebugInfo(expressions);
    if (expressions.empty()) {
      site.field = demangle(global->getName());
      return;
    }
    const DIGlobalVariable* variable = expressions[0]->getVariable();
    const DIScope* scope = variable->getScope();
    if (const DIDerivedType* member = variable->getStaticDataMemberDeclaration()) {
      scope = member->getScope();
    }
    std::string outer = types_.name(scope);
    if (isa_and_nonnull<DICompositeType>(scope)) site.cls = outer;
    site.field =
        outer.empty() ? variable->getName().str() : outer + "::" + variable->getName().str();
  } else if (const auto* local = dyn_cast<AllocaInst>(object)) {
    site.flags |= kSiteLocal;
    if (const DILocalVariable* variable = values_.variable(local).variable) {
      site.field = variable->getName().str();
    }
  }
}

// Of an access to no known class. Whatever the program reads or writes as one value has a TBAA tag
// in optimised code; a copy of a whole object that became one load and one store has none.
bool AccessNames::may_be_number(const Instruction& access, const Value* pointer,
                                std::uint64_t size) const {
  const DataLayout& layout = access.getModule()->getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (const auto* global = dyn_cast<GlobalVariable>(base)) {
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    global->getDebugInfo(expressions);
    const DIType* type = expressions.empty() ? nullptr : expressions[0]->getVariable()->getType();
    const bool number = offset.isNegative() || type == nullptr ||
                        types_.is_number(type, offset.getZExtValue(), size);
    // Of a class there may be no definition in this module.
    if (!number || (type != nullptr && as_class(element_of(type)) == nullptr)) return number;
  }
  const bool plain = isa<LoadInst>(access) || isa<StoreInst>(access);
  return !plain || access.isAtomic() || access.hasMetadata(LLVMContext::MD_tbaa) ||
         access.getFunction()->hasOptNone();
}

// The optimiser reads a variable once for all rounds of a loop, and gives that read no line: it has
// the line of the update that it belongs to, if that is one. Nothing else is guessed.
static const DILocation* location_of(const Instruction& access, const Value* pointer) {
  constexpr unsigned kMostSeen = 32;  // values that are computed from what is read
  const DILocation* own = access.getDebugLoc().get();
  if (!isa<LoadInst>(access) || (own && own->getLine() != 0)) return own;
  const DILocation* update = nullptr;
  SmallSetVector<const Value*, kMostSeen> computed;
  computed.insert(&access);
  for (unsigned i = 0; i < computed.size(); ++i) {
    for (const User* user : computed[i]->users()) {
      if (isa<BinaryOperator, PHINode, CastInst>(user) && computed.size() < kMostSeen)
        computed.insert(user);
      const auto* store = dyn_cast<StoreInst>(user);
      if (!store || store->getPointerOperand() != pointer) continue;
      const DILocation* there = store->getDebugLoc().get();
      if (!there || there->getLine() == 0) continue;
      const bool other = update && (there->getLine() != update->getLine() ||
                                    there->getFile() != update->getFile() ||
                                    there->getInlinedAt() != update->getInlinedAt());
      if (other) return own;
      update = there;
    }
  }
  return update ? update : own;
}

SiteText AccessNames::describe(const Instruction& access, const Value* pointer, std::uint64_t size,
                               bool range) {
  SiteText site;
  site.size = static_cast<std::uint16_t>(size > 0xffff ? 0xffff : size);
  site.location = location_of(access, pointer);
  AccessName name = values_.name(pointer, size, range);
  AccessName early;
  if (read_access_name(access, early)) {
    // Of the two classes, the larger one contains the other and is the outermost.
    bool keep = name.exact &&
                (!early.exact || size_of(types_.find(name.cls)) >= size_of(types_.find(early.cls)));
    if (!keep) name = early;
  }
  if (name.cls.empty()) {
    AccessName tagged = from_tbaa(access, size);
    if (!tagged.cls.empty() || !tagged.field.empty()) name = tagged;
  }
  site.cls = name.cls;
  site.field = name.field;
  site.offset = name.offset;
  site.flags = name.flags;
  site.set = name.set;
  if (site.cls.empty() && site.field.empty()) add_variable(pointer, site);
  if (is_floating(access) || (name.cls.empty() && !may_be_number(access, pointer, size)))
    site.flags |= kSiteNoNumber;
  if (site.set.empty()) site.set = global_set(pointer);
  return site;
}

// One access may cover several fields, because the optimiser joins accesses to neighbours.
std::vector<AccessNames::Part> AccessNames::describe_parts(const Instruction& access,
                                                           const Value* pointer,
                                                           std::uint64_t size) {
  SiteText whole = describe(access, pointer, size);
  std::vector<Part> parts;
  const DICompositeType* cls = types_.find(whole.cls);
  if (cls && whole.offset != kUnknownOffset && !(whole.flags & kSiteStatic)) {
    auto cuts = types_.parts(cls, whole.offset, size);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      Part part{cuts[i], cuts[i + 1] - cuts[i], whole};
      part.site.size = static_cast<std::uint16_t>(part.size);
      part.site.offset = static_cast<std::uint32_t>(whole.offset + part.distance);
      set_field(part.site, types_.field(cls, part.site.offset, part.size));
      if (part.site.set.empty()) part.site.set = global_set(pointer);
      parts.push_back(std::move(part));
    }
  }
  if (parts.empty()) parts.push_back({0, size, std::move(whole)});
  return parts;
}

SiteText AccessNames::describe_range(const Instruction& access, const Value* pointer,
                                     const Value* bytes) {
  const auto* constant = dyn_cast_or_null<ConstantInt>(bytes);
  std::uint64_t size = constant && constant->getZExtValue() ? constant->getZExtValue() : 1;
  SiteText site = describe(access, pointer, size, true);
  site.size = 0;
  // A range that covers a whole object is not an access to the object's first field.
  if (values_.name(pointer, size).whole && constant) site.field.clear();
  return site;
}

SiteText AccessNames::describe_local(const AllocaInst& allocation) {
  SiteText site;
  site.kind = EventKind::local;
  site.flags = kSiteLocal;
  auto [variable, inlined_at] = values_.variable(&allocation);
  if (variable) {
    site.field = variable->getName().str();
    site.location = DILocation::get(allocation.getContext(), variable->getLine(), 0,
                                    variable->getScope(), const_cast<DILocation*>(inlined_at));
    // Of an array, the class of its elements: whoever reads the trace sees by the size that there
    // are several.
    if (const DICompositeType* cls = types_.definition(as_class(element_of(variable->getType())))) {
      site.cls = types_.name(cls);
      site.offset = static_cast<std::uint32_t>(size_of(cls));
    }
  }
  return site;
}

bool AccessNames::is_vtable_pointer(const Value* value) {
  const auto* load = dyn_cast<LoadInst>(value);
  if (!load || !load->getType()->isPointerTy()) return false;
  if (from_tbaa(*load, 8).field == "(vptr)") return true;
  return StringRef(values_.name(load->getPointerOperand(), 8).field).ends_with("(vptr)");
}

}  // namespace raddle::pass
