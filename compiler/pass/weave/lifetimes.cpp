#include "compiler/pass/weave/lifetimes.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include "compiler/pass/unit_markers.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

// A constructor or destructor that is written down tells of its objects itself.
bool has_destructor(const DICompositeType* cls) {
  for (const DINode* element : cls->getElements()) {
    const auto* member = dyn_cast_or_null<DISubprogram>(element);
    if (member && member->getName().starts_with("~")) return true;
  }
  return false;
}

bool is_delete(StringRef name) { return name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv"); }

}  // namespace

Lifetimes::Classes Lifetimes::classes_of(const DIType* type, bool without_functions) const {
  Classes out;
  const DICompositeType* cls = types_.definition(as_class(type));
  if (!cls || (without_functions && has_destructor(cls))) return out;
  const auto scope = pointcut::make_class_pattern(types_.name(cls)).scope;
  for (const pointcut::TableClass& one : table_.classes) {
    pointcut::ClassPattern pattern = pointcut::make_class_pattern(one.type);
    pattern.derived = true;
    if (pattern.matches(scope, [&](const std::string& name) { return names_.bases(name); }))
      out.push_back(&one);
  }
  return out;
}

// A variable begins each time that control comes to its declaration. Optimised code marks that
// place in another way.
void Lifetimes::collect_variables(Function& function, ValueTypes& values) {
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      for (DbgRecord& record : instruction.getDbgRecordRange()) {
        auto* variable = dyn_cast<DbgVariableRecord>(&record);
        if (variable && variable->isDbgDeclare() &&
            variable->getExpression()->getNumElements() == 0)
          collect_variable(variable->getVariableLocationOp(0), variable->getVariable(),
                           instruction);
      }
      const auto* start = dyn_cast<IntrinsicInst>(&instruction);
      if (!start || start->getIntrinsicID() != Intrinsic::lifetime_start) continue;
      Value* memory = start->getArgOperand(1);
      if (const DILocalVariable* variable = values.variable(memory).variable)
        collect_variable(memory, variable, *instruction.getNextNode());
    }
  }
}

void Lifetimes::collect_variable(Value* memory, const DILocalVariable* variable,
                                 Instruction& before) {
  if (!isa_and_nonnull<AllocaInst>(memory) || variable->getArg() != 0) return;
  const DIType* type = variable->getType();
  const DIType* element = array_element(type);
  Classes classes = classes_of(element ? element : type, true);
  if (classes.empty()) return;
  Value* bytes = nullptr;
  if (element) bytes = ConstantInt::get(Type::getInt64Ty(before.getContext()), size_of(type));
  places_.push_back(
      {&before, memory, size_of(element ? element : type), bytes, std::move(classes)});
}

void Lifetimes::collect_memory(Function& function, ValueTypes& values) {
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallBase>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !is_delete(callee->getName()) || call->arg_size() == 0) continue;
      Value* object = call->getArgOperand(0);
      const DIType* type = values.pointee_of(object);
      Classes classes = classes_of(type, true);
      if (classes.empty()) continue;
      const bool sized = call->arg_size() > 1 && call->getArgOperand(1)->getType()->isIntegerTy(64);
      places_.push_back({call, object, size_of(type), sized ? call->getArgOperand(1) : nullptr,
                         std::move(classes)});
    }
  }
}

void Lifetimes::collect(Function& function, ValueTypes& values) {
  places_.clear();
  if (table_.classes.empty()) return;
  collect_variables(function, values);
  collect_memory(function, values);
}

void Lifetimes::tell(Instruction* before, Value* object, const Classes& classes, std::uint64_t size,
                     Value* bytes) {
  Function& function = *before->getFunction();
  Module& module = *function.getParent();
  IRBuilder<> builder(before);
  Type* pointer = builder.getPtrTy();
  DebugLoc location = before->getDebugLoc();
  if (DISubprogram* subprogram = function.getSubprogram(); subprogram && !location)
    location = DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
  builder.SetCurrentDebugLocation(location);
  for (const pointcut::TableClass* one : classes) {
    FunctionCallee hear = module.getOrInsertFunction(one->symbol, builder.getVoidTy(), pointer);
    CallInst* call = nullptr;
    if (bytes && size > 0) {
      FunctionCallee all =
          module.getOrInsertFunction("raddle_mop_objects", builder.getVoidTy(), pointer, pointer,
                                     builder.getInt64Ty(), builder.getInt64Ty());
      call = builder.CreateCall(all, {hear.getCallee(), object, bytes, builder.getInt64(size)});
    } else {
      call = builder.CreateCall(hear, {object});
    }
    call->setDoesNotThrow();
  }
}

void Lifetimes::insert() {
  for (const Place& place : places_)
    tell(place.before, place.object, place.classes, place.size, place.bytes);
  places_.clear();
}

Lifetimes::Classes Lifetimes::classes_of(const NamedFunction& member) const {
  Classes out;
  for (const pointcut::TableClass& one : table_.classes) {
    if (pointcut::make_class_pattern(one.type).matches(member.name.scope, nullptr))
      out.push_back(&one);
  }
  return out;
}

bool Lifetimes::has_event_before(const NamedFunction& constructor) const {
  const pointcut::Bases bases = [&](const std::string& cls) { return names_.bases(cls); };
  for (const pointcut::TableEvent& event : table_.events) {
    if (event.when != pointcut::When::before) continue;
    for (const pointcut::Alternative& alternative : event.alternatives) {
      for (const pointcut::Condition& condition : alternative.conditions) {
        if (!condition.negated && !condition.execution &&
            condition.signature.matches(constructor.name, bases))
          return true;
      }
    }
  }
  return false;
}

void Lifetimes::insert_before(CallBase& call, const NamedFunction& callee) {
  const bool constructs = callee.special && !callee.name.name.empty() && callee.name.name[0] != '~';
  if (!constructs || call.arg_size() == 0 || !has_event_before(callee)) return;
  tell(&call, call.getArgOperand(0), classes_of(callee), 0, nullptr);
}

void Lifetimes::insert_own(Function& function) {
  const NamedFunction& named = names_.of(function);
  if (!named.special || function.arg_empty() || named.name.name.empty()) return;
  const Classes classes = classes_of(named);
  if (classes.empty()) return;
  if (named.name.name[0] != '~') {
    if (has_event_before(named)) return;  // the call has told, before the event
    return tell(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), function.getArg(0),
                classes, 0, nullptr);
  }
  const bool unwinds = may_unwind(function);
  if (unwinds) need_personality(function);
  EscapeEnumerator exits(function, "raddle_mop_destroyed", unwinds);
  while (IRBuilder<>* at = exits.Next())
    tell(&*at->GetInsertPoint(), function.getArg(0), classes, 0, nullptr);
}

}  // namespace raddle::pass
