#include "compiler/pass/weave/matching.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "compiler/pass/weave/type_tests.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

std::string class_text(const pointcut::Function& function) {
  std::string out;
  for (const pointcut::Tokens& part : function.scope)
    out += (out.empty() ? "" : "::") + pointcut::text_of(part);
  return out;
}

bool in_std(const pointcut::Function& function) {
  if (function.scope.empty() || function.scope[0].empty()) return false;
  const std::string& first = function.scope[0][0];
  return first == "std" || first == "__gnu_cxx" || first == "__cxxabiv1";
}

bool is_thunk(StringRef name) {
  return name.starts_with("_ZTh") || name.starts_with("_ZTv") || name.starts_with("_ZTc");
}

// A virtual call: a load from `slot` words behind what the object points to.
struct VirtualCall {
  const Value* object = nullptr;
  const LoadInst* table = nullptr;
  unsigned slot = 0;
};

bool is_virtual(const CallBase& call, VirtualCall& out) {
  const auto* function = dyn_cast<LoadInst>(call.getCalledOperand());
  if (!function) return false;
  const Value* entry = function->getPointerOperand();
  if (const auto* step = dyn_cast<GEPOperator>(entry)) {
    const DataLayout& layout = call.getModule()->getDataLayout();
    APInt offset(64, 0);
    if (!step->accumulateConstantOffset(layout, offset)) return false;
    out.slot = unsigned(offset.getZExtValue() / layout.getPointerSize());
    entry = step->getPointerOperand();
  }
  out.table = dyn_cast<LoadInst>(entry);
  if (!out.table) return false;
  const unsigned index = call.arg_size() > 0 && call.paramHasAttr(0, Attribute::StructRet) ? 1 : 0;
  if (call.arg_size() <= index) return false;
  out.object = call.getArgOperand(index);
  return out.table->getPointerOperand()->stripPointerCasts() == out.object->stripPointerCasts();
}

// The class of which an object is `offset` bytes into one of class `cls`.
const DICompositeType* class_at(const DICompositeType* cls, std::uint64_t offset,
                                const DebugTypes& types) {
  cls = types.definition(cls);
  while (cls && offset != 0) {
    const DIDerivedType* member = types.member_at(cls, offset);
    if (!member || offset < member->getOffsetInBits() / 8) return nullptr;
    offset -= member->getOffsetInBits() / 8;
    cls = types.definition(as_class(member->getBaseType()));
  }
  return cls;
}

// The object of the call is a member of another one, not a base class of it.
bool is_member(const CallBase& call, ValueTypes& values, const DebugTypes& types) {
  if (call.arg_size() == 0) return false;
  const Place place = values.place(call.getArgOperand(0));
  const DICompositeType* cls = types.definition(as_class(place.root));
  if (!cls || place.offset < 0) return false;
  const DIDerivedType* member = types.member_at(cls, std::uint64_t(place.offset));
  return member && member->getTag() == dwarf::DW_TAG_member;
}

}  // namespace

const NamedFunction* Matching::callee_of(const CallBase& call, ValueTypes& values,
                                         const DebugTypes& types) {
  if (isa<IntrinsicInst>(call) || call.isInlineAsm()) return nullptr;
  const Value* called = call.getCalledOperand()->stripPointerCastsAndAliases();
  if (const auto* function = dyn_cast<Function>(called)) {
    const NamedFunction& named = names_.of(*function);
    if (!named.of_base || named.name.name[0] != '~' || call.arg_size() == 0) return &named;
    // If a destructor does no more than that of the base, clang calls the latter, with -O2.
    const DICompositeType* cls = class_of(call.getArgOperand(0), values, types);
    if (cls && names_.derives(types.name(cls), class_text(named.name)))
      return &names_.destructor_of(cls);
    return &named;
  }
  VirtualCall found;
  if (!is_virtual(call, found)) return nullptr;
  const DICompositeType* cls = names_.class_named(tested_class(found.table));
  if (!cls) cls = class_of(found.object, values, types);
  return cls ? names_.in_slot(cls, found.slot) : nullptr;
}

// The class that the program says the object has.
const DICompositeType* Matching::class_of(const Value* object, ValueTypes& values,
                                          const DebugTypes& types) {
  const Place place = values.place(object);
  const DICompositeType* cls = nullptr;
  if (place.root && place.offset >= 0 && place.stride == 0)
    cls = class_at(as_class(place.root), std::uint64_t(place.offset), types);
  return cls ? cls : types.definition(as_class(values.pointee_of(object)));
}

// What the compiler or the standard library does by itself is no call of the program.
bool Matching::is_detail(const CallBase& call, const NamedFunction& callee, ValueTypes& values,
                         const DebugTypes& types) {
  const Function& caller = *call.getFunction();
  if (is_thunk(caller.getName())) return true;
  const NamedFunction& from = names_.of(caller);
  const std::string own = class_text(from.name);
  const std::string other = class_text(callee.name);
  if (from.special && callee.special) {
    if (own == other && from.name.name == callee.name.name &&
        from.name.parameters == callee.name.parameters)
      return true;  // the variant for whole objects calls that for bases
    if (names_.derives(own, other) && !is_member(call, values, types)) return true;  // a base
  }
  return in_std(from.name) && own == other;
}

bool Matching::fits(const pointcut::TableEvent& event, const pointcut::Alternative& alternative,
                    const NamedFunction& function, const NamedFunction& around,
                    bool execution) const {
  if (alternative.is_execution() != execution) return false;
  const pointcut::Bases bases = [&](const std::string& cls) { return names_.bases(cls); };
  for (const pointcut::Condition& condition : alternative.conditions) {
    const bool here = condition.execution == execution;
    const bool holds = here && condition.signature.matches(function.name, bases);
    if (holds == condition.negated) return false;
  }
  if (alternative.counts_arguments) {
    const std::size_t count = function.name.parameters.size();
    if (alternative.more_arguments ? count < alternative.arguments : count != alternative.arguments)
      return false;
  }
  for (const pointcut::Binding& binding : alternative.bindings) {
    using From = pointcut::Binding::From;
    if (binding.from != From::target && binding.from != From::self) continue;
    // At a call, `this` is the object of the function that calls.
    const bool of_around = binding.from == From::self && !execution;
    const NamedFunction& member = of_around ? around : function;
    if (!member.has_this) return false;
    pointcut::ClassPattern cls = pointcut::make_class_pattern(event.values[binding.value].type);
    cls.derived = true;
    if (!cls.matches(member.name.scope, bases)) return false;
  }
  return true;
}

std::vector<Match> Matching::matches(const NamedFunction& function, const NamedFunction& around,
                                     bool execution) {
  std::vector<Match> out;
  for (const pointcut::TableEvent& event : table_.events) {
    Match match{&event, nullptr, 0, &function};
    for (const pointcut::Alternative& alternative : event.alternatives) {
      if (!fits(event, alternative, function, around, execution)) continue;
      if (!match.alternative) match.alternative = &alternative;
      match.cases |= 1U << alternative.bit;
    }
    if (!match.alternative) continue;
    matched_.insert(&event);
    out.push_back(match);
  }
  return out;
}

std::vector<Match> Matching::at_call(const CallBase& call, ValueTypes& values,
                                     const DebugTypes& types) {
  const NamedFunction* callee = callee_of(call, values, types);
  if (!callee || is_detail(call, *callee, values, types)) return {};
  return matches(*callee, names_.of(*call.getFunction()), false);
}

std::vector<Match> Matching::through_pointer(const NamedFunction& function) {
  const NamedFunction nobody;
  return matches(function, nobody, false);
}

std::vector<Match> Matching::in_function(const Function& function) {
  if (is_thunk(function.getName())) return {};
  const NamedFunction& named = names_.of(function);
  if (named.special) {
    for (const BasicBlock& block : function) {
      for (const Instruction& instruction : block) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        const Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || callee->isIntrinsic()) continue;
        const NamedFunction& other = names_.of(*callee);
        // The variant for whole objects leaves the work, and the event, to that for bases.
        if (other.special && class_text(other.name) == class_text(named.name) &&
            other.name.name == named.name.name && other.name.parameters == named.name.parameters)
          return {};
      }
    }
  }
  return matches(named, named, true);
}

}  // namespace raddle::pass
