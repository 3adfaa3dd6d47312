#include "compiler/pass/weave/insertion.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/EHPersonalities.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <optional>

#include "compiler/pass/unit_markers.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

using From = pointcut::Binding::From;

// An error at a place, which ends the compilation.
void refuse(const Function& function, const DebugLoc& location, const Twine& text) {
  function.getContext().diagnose(DiagnosticInfoUnsupported(function, text, location));
}

// Where an event is, and the values that it may carry there.
struct EventPlace {
  Function& function;
  DebugLoc location;
  const NamedFunction& named;
  SmallVector<Value*, 8> arguments;
  bool returns_object = false;            // the first argument is where the result goes
  Value* result = nullptr;                // null: there is none (yet)
  Value* self = nullptr;                  // of the function around a call
  const DISubprogram* pointed = nullptr;  // what a pointer points to: nobody knows who calls
};

std::string location_text(const EventPlace& place) {
  const DILocation* location = place.location.get();
  while (location && location->getLine() == 0) location = location->getInlinedAt();
  if (location) return (location->getFilename() + ":" + Twine(location->getLine())).str();
  const DISubprogram* subprogram = place.pointed ? place.pointed : place.function.getSubprogram();
  if (subprogram) return (subprogram->getFilename() + ":" + Twine(subprogram->getLine())).str();
  return place.function.getParent()->getSourceFileName();
}

Constant* site(const EventPlace& place, std::uint32_t cases) {
  Module& module = *place.function.getParent();
  LLVMContext& context = module.getContext();
  const auto constant = [&](Constant* value, const char* name) {
    auto* out = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage,
                                   value, name);
    out->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return out;
  };
  Constant* text =
      constant(ConstantDataArray::getString(context, location_text(place)), "raddle_mop_location");
  Constant* number = ConstantInt::get(Type::getInt32Ty(context), cases);
  return constant(ConstantStruct::getAnon({text, number}), "raddle_mop_site");
}

class EventCall {
 public:
  EventCall(const EventPlace& place, const Match& match) : place_(place), match_(match) {}

  // Null if it was refused.
  CallInst* insert(IRBuilder<>& builder) {
    const pointcut::TableEvent& event = *match_.event;
    SmallVector<Value*, 8> values(event.values.size() + 1, nullptr);
    values[0] = site(place_, match_.cases);
    for (const pointcut::Binding& binding : match_.alternative->bindings) {
      Value* value = bound(binding);
      if (value) value = as_number(builder, value, event.values[binding.value], binding);
      if (!value) return nullptr;
      values[binding.value + 1] = value;
    }
    Type* number = builder.getInt64Ty();
    for (Value*& value : values)
      if (!value) value = ConstantInt::get(number, 0);
    SmallVector<Type*, 8> types{builder.getPtrTy()};
    types.resize(values.size(), number);
    Module& module = *place_.function.getParent();
    FunctionCallee function = module.getOrInsertFunction(
        event.symbol, FunctionType::get(builder.getInt1Ty(), types, false));
    CallInst* call = builder.CreateCall(function, values);
    call->addRetAttr(Attribute::ZExt);
    call->setDoesNotThrow();
    // A thread that waits there shows where: the caller stays on its stack.
    call->setTailCallKind(CallInst::TCK_NoTail);
    call->setDebugLoc(location(builder));
    return call;
  }

 private:
  DebugLoc location(IRBuilder<>& builder) const {
    if (place_.location) return place_.location;
    DISubprogram* subprogram = place_.function.getSubprogram();
    if (!subprogram) return {};
    return DILocation::get(builder.getContext(), subprogram->getLine(), 0, subprogram);
  }

  Value* refused(const Twine& why) {
    refuse(place_.function, place_.location,
           "the event " + match_.event->name + " (" + match_.event->place +
               ") cannot be woven into " + place_.named.name.text() + ": " + why);
    return nullptr;
  }

  Value* bound(const pointcut::Binding& binding) {
    const unsigned hidden = place_.returns_object ? 1 : 0;
    const unsigned first = hidden + (place_.named.has_this ? 1 : 0);
    switch (binding.from) {
      case From::self:
        if (place_.self) return place_.self;
        [[fallthrough]];
      case From::target:
        if (place_.arguments.size() <= hidden) return refused("it has no object");
        return place_.arguments[hidden];
      case From::result:
        if (place_.returns_object) return place_.arguments[0];
        if (!place_.result || place_.result->getType()->isVoidTy())
          return refused("it returns nothing");
        return place_.result;
      case From::argument:
      case From::argument_from_end:
        break;
    }
    const std::size_t count = place_.arguments.size() - first;
    if (count != place_.named.name.parameters.size())
      return refused("arguments in several registers cannot be bound; use args(..)");
    if (binding.index >= count) return refused("it has fewer arguments");
    const std::size_t index =
        binding.from == From::argument ? binding.index : count - 1 - binding.index;
    return place_.arguments[first + index];
  }

  // A class that is returned in registers has no address.
  bool is_class_by_value() const {
    if (!place_.named.type || place_.named.type->getTypeArray().size() == 0) return false;
    return as_class(place_.named.type->getTypeArray()[0]) != nullptr;
  }

  Value* as_number(IRBuilder<>& builder, Value* value, const pointcut::Value& wanted,
                   const pointcut::Binding& binding) {
    Type* type = value->getType();
    switch (wanted.kind) {
      case pointcut::ValueKind::object:
        if (binding.from == From::result && !place_.returns_object && is_class_by_value())
          return refused(
              "the " + wanted.type +
              " that it returns is a value in a register, not an object with an address");
        if (!type->isPointerTy())
          return refused(wanted.type +
                         " is not an object here: declare the parameter with the "
                         "type of a number");
        return builder.CreatePtrToInt(value, builder.getInt64Ty());
      case pointcut::ValueKind::integer:
        if (type->isPointerTy()) return refused("a pointer is no " + wanted.type);
        if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64)
          return refused("its value is no " + wanted.type);
        // Unsigned numbers of 32 bits are cut to their type again.
        return type->getIntegerBitWidth() == 1 ? builder.CreateZExt(value, builder.getInt64Ty())
                                               : builder.CreateSExt(value, builder.getInt64Ty());
      case pointcut::ValueKind::floating: {
        if (!type->isFloatTy() && !type->isDoubleTy())
          return refused("its value is no " + wanted.type);
        const bool is_double = StringRef(wanted.type).contains("double");
        value =
            builder.CreateFPCast(value, is_double ? builder.getDoubleTy() : builder.getFloatTy());
        value =
            builder.CreateBitCast(value, is_double ? builder.getInt64Ty() : builder.getInt32Ty());
        return builder.CreateZExt(value, builder.getInt64Ty());
      }
    }
    return nullptr;
  }

  const EventPlace& place_;
  const Match& match_;
};

void insert_events(IRBuilder<>& builder, const EventPlace& place, const std::vector<Match>& matches,
                   std::initializer_list<pointcut::When> when) {
  for (const Match& match : matches)
    if (std::find(when.begin(), when.end(), match.event->when) != when.end())
      EventCall(place, match).insert(builder);
}

bool any(const std::vector<Match>& matches, pointcut::When when) {
  return std::any_of(matches.begin(), matches.end(),
                     [&](const Match& match) { return match.event->when == when; });
}

// A block that only the exceptions of this call come to, behind its landing pad.
Instruction* unwind_point(CallBase*& call) {
  Function& function = *call->getFunction();
  need_personality(function);
  LLVMContext& context = function.getContext();
  if (auto* plain = dyn_cast<CallInst>(call)) {
    BasicBlock* cleanup = BasicBlock::Create(context, "raddle_mop_unwind", &function);
    IRBuilder<> builder(cleanup);
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    Type* type = StructType::get(builder.getPtrTy(), builder.getInt32Ty());
    LandingPadInst* pad = builder.CreateLandingPad(type, 0);
    pad->setCleanup(true);
    Instruction* resume = builder.CreateResume(pad);
    plain->setTailCallKind(CallInst::TCK_None);
    BasicBlock* block = plain->getParent();
    changeToInvokeAndSplitBasicBlock(plain, cleanup);
    call = cast<InvokeInst>(block->getTerminator());
    return resume;
  }
  auto* invoke = cast<InvokeInst>(call);
  SmallVector<BasicBlock*, 2> blocks;
  BasicBlock* target = invoke->getUnwindDest();
  if (target->getSinglePredecessor() != invoke->getParent()) {
    SplitLandingPadPredecessors(target, {invoke->getParent()}, ".mop", ".others", blocks);
    target = blocks.front();
  }
  LandingPadInst* pad = target->getLandingPadInst();
  // Without it the frame is passed over if no handler fits.
  pad->setCleanup(true);
  return pad->getNextNode();
}

// Where control comes to when the call has returned.
Instruction* return_point(CallBase& call) {
  if (auto* invoke = dyn_cast<InvokeInst>(&call)) {
    BasicBlock* normal = invoke->getNormalDest();
    // A block of its own: others may come to the destination as well.
    BasicBlock* own = SplitBlockPredecessors(normal, {invoke->getParent()}, ".mop");
    return own->getTerminator();
  }
  return call.getNextNode();
}

// The value of a call that is left out; nothing if there is none that is right.
std::optional<Constant*> default_result(const CallBase& call, const NamedFunction& named) {
  Type* type = call.getType();
  if (call.hasRetAttr(Attribute::NonNull) || call.hasRetAttr(Attribute::Dereferenceable)) return {};
  if (named.type && named.type->getTypeArray().size() > 0) {
    const DIType* returns = strip(named.type->getTypeArray()[0]);
    if (as_class(returns)) return {};
    if (returns && (returns->getTag() == dwarf::DW_TAG_reference_type ||
                    returns->getTag() == dwarf::DW_TAG_rvalue_reference_type))
      return {};
  }
  if (type->isVoidTy() && !(call.arg_size() > 0 && call.paramHasAttr(0, Attribute::StructRet)))
    return nullptr;
  if (type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy())
    return Constant::getNullValue(type);
  return {};
}

// `if (!skip) call`, with the result of the call or `otherwise`.
void make_conditional(CallBase& call, Value* skip, Constant* otherwise) {
  Instruction* after = return_point(call);
  BasicBlock* behind = isa<InvokeInst>(call) ? after->getParent() : nullptr;
  BasicBlock* before = call.getParent();
  BasicBlock* calling = SplitBlock(before, &call);
  if (!behind) behind = SplitBlock(calling, after);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  builder.CreateCondBr(skip, behind, calling);
  if (!otherwise || call.use_empty()) return;
  PHINode* result = PHINode::Create(call.getType(), 2, "", behind->begin());
  call.replaceUsesWithIf(result, [&](Use& use) { return use.getUser() != result; });
  result->addIncoming(&call, calling);
  result->addIncoming(otherwise, before);
}

EventPlace place_of(CallBase& call, const NamedFunction& named) {
  EventPlace place{*call.getFunction(), call.getDebugLoc(), named, {}};
  for (Value* argument : call.args()) place.arguments.push_back(argument);
  place.returns_object = call.arg_size() > 0 && call.paramHasAttr(0, Attribute::StructRet);
  return place;
}

bool is_table(const GlobalValue& global) {
  const StringRef name = global.getName();
  return isa<GlobalAlias>(global) || isa<GlobalIFunc>(global) || name.starts_with("_ZTV") ||
         name.starts_with("_ZTC") || name.starts_with("llvm.");
}

// The use makes a pointer that the program may call.
bool is_pointer(const Use& use, int depth = 0) {
  const User* user = use.getUser();
  if (const auto* call = dyn_cast<CallBase>(user)) return !call->isCallee(&use);
  if (isa<Instruction>(user)) return true;
  if (const auto* global = dyn_cast<GlobalValue>(user))
    return isa<GlobalVariable>(global) && !is_table(*global);
  if (depth > 8 || isa<BlockAddress>(user)) return false;
  return user->hasNUsesOrMore(1) &&
         std::all_of(user->use_begin(), user->use_end(),
                     [&](const Use& next) { return is_pointer(next, depth + 1); });
}

Value* own_this(Function& function) {
  const unsigned index = function.hasStructRetAttr() ? 1 : 0;
  return index < function.arg_size() ? function.getArg(index) : nullptr;
}

}  // namespace

void weave_call(CallBase& original, const std::vector<Match>& matches,
                const DISubprogram* pointed) {
  CallBase* call = &original;
  EventPlace place = place_of(*call, *matches.front().function);
  place.pointed = pointed;
  place.self = own_this(place.function);
  const bool after = any(matches, pointcut::When::after);
  const bool returning = any(matches, pointcut::When::returning);
  if (call->isMustTailCall() && (after || returning))
    return refuse(place.function, place.location,
                  "the event " + matches.front().event->name + " cannot come after a tail call");
  // The unwind path first: it may replace the call.
  if (after && !call->doesNotThrow() && !place.function.doesNotThrow()) {
    IRBuilder<> builder(unwind_point(call));
    insert_events(builder, place, matches, {pointcut::When::after});
  }
  if (after || returning) {
    place.result = call;
    IRBuilder<> builder(return_point(*call));
    insert_events(builder, place, matches, {pointcut::When::after, pointcut::When::returning});
    place.result = nullptr;
  }
  IRBuilder<> builder(call);
  Value* skip = nullptr;
  for (const Match& match : matches) {
    if (match.event->when != pointcut::When::before) continue;
    builder.SetInsertPoint(call);
    Value* skipped = EventCall(place, match).insert(builder);
    if (!match.event->may_skip || !skipped) continue;
    skip = skip ? builder.CreateOr(skip, skipped) : skipped;
  }
  if (!skip) return;
  const std::optional<Constant*> otherwise = default_result(*call, place.named);
  if (!otherwise)
    return refuse(place.function, place.location,
                  "__SKIP of " + matches.front().event->name + " (" + matches.front().event->place +
                      ") cannot leave out " + place.named.name.text() +
                      ", whose result has no default");
  make_conditional(*call, skip, *otherwise);
}

bool has_pointers(const Function& function) {
  return !function.isVarArg() && std::any_of(function.use_begin(), function.use_end(),
                                             [](const Use& use) { return is_pointer(use); });
}

void weave_pointers(Function& function, const std::vector<Match>& matches) {
  Module& module = *function.getParent();
  LLVMContext& context = module.getContext();
  Function* wrapper = Function::Create(
      function.getFunctionType(),
      function.hasLocalLinkage() ? GlobalValue::InternalLinkage : GlobalValue::LinkOnceODRLinkage,
      function.getName() + ".mop", module);
  if (!function.hasLocalLinkage()) {
    wrapper->setComdat(module.getOrInsertComdat(wrapper->getName()));
    wrapper->setVisibility(GlobalValue::HiddenVisibility);
  }
  wrapper->setCallingConv(function.getCallingConv());
  wrapper->setAttributes(function.getAttributes());
  for (const Attribute::AttrKind kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::NoCallback,
        Attribute::WillReturn, Attribute::Speculatable, Attribute::NoRecurse})
    wrapper->removeFnAttr(kind);
  function.replaceUsesWithIf(wrapper, [](Use& use) { return is_pointer(use); });
  IRBuilder<> builder(BasicBlock::Create(context, "", wrapper));
  SmallVector<Value*, 8> arguments;
  for (Argument& argument : wrapper->args()) arguments.push_back(&argument);
  CallInst* call = builder.CreateCall(&function, arguments);
  call->setCallingConv(function.getCallingConv());
  SmallVector<AttributeSet, 8> parameters;
  for (unsigned i = 0; i < function.arg_size(); ++i)
    parameters.push_back(function.getAttributes().getParamAttrs(i));
  call->setAttributes(AttributeList::get(context, AttributeSet(),
                                         function.getAttributes().getRetAttrs(), parameters));
  if (function.doesNotThrow()) call->setDoesNotThrow();
  if (function.getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(call);
  }
  weave_call(*call, matches, function.getSubprogram());
}

void weave_member_pointer(const MemberPointerCall& found, const VirtualMember& member,
                          const std::vector<Match>& matches) {
  if (!found.base && member.base != 0) return;
  CallBase& original = *found.call;
  FunctionType* type = original.getFunctionType();
  if (type->isVarArg())
    return refuse(*original.getFunction(), original.getDebugLoc(),
                  "the event " + matches.front().event->name + " (" + matches.front().event->place +
                      ") cannot be woven into a pointer to " + member.named->name.text() +
                      ", which takes any number of arguments");
  Module& module = *original.getModule();
  LLVMContext& context = module.getContext();
  Function* wrapper = Function::Create(type, GlobalValue::InternalLinkage,
                                       member.declared->getLinkageName() + ".virtual.mop", module);
  wrapper->setCallingConv(original.getCallingConv());
  const AttributeList given = original.getAttributes();
  SmallVector<AttributeSet, 8> parameters;
  for (unsigned i = 0; i < type->getNumParams(); ++i) parameters.push_back(given.getParamAttrs(i));
  const AttributeList attributes =
      AttributeList::get(context, AttributeSet(), given.getRetAttrs(), parameters);
  wrapper->setAttributes(attributes);
  wrapper->setUWTableKind(UWTableKind::Default);
  IRBuilder<> builder(BasicBlock::Create(context, "", wrapper));
  SmallVector<Value*, 8> arguments;
  for (Argument& argument : wrapper->args()) arguments.push_back(&argument);
  Value* table = builder.CreateLoad(builder.getPtrTy(), own_this(*wrapper));
  Value* entry = builder.CreateConstGEP1_32(builder.getPtrTy(), table, member.slot);
  CallInst* call =
      builder.CreateCall(type, builder.CreateLoad(builder.getPtrTy(), entry), arguments);
  call->setCallingConv(original.getCallingConv());
  call->setAttributes(attributes);
  if (type->getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(call);
  }
  weave_call(*call, matches, member.declared);

  BasicBlock* from = found.entry->getParent();
  IRBuilder<> at(from->getTerminator());
  const std::uint64_t offset = std::uint64_t{member.slot} * module.getDataLayout().getPointerSize();
  Value* is_it = at.CreateICmpEQ(found.offset, ConstantInt::get(found.offset->getType(), offset));
  if (found.base)
    is_it = at.CreateAnd(
        is_it, at.CreateICmpEQ(found.base, ConstantInt::get(found.base->getType(), member.base)));
  const int index = found.callee->getBasicBlockIndex(from);
  // Another member may have been put there already.
  Value* otherwise = found.callee->getIncomingValueForBlock(from);
  found.callee->setIncomingValue(unsigned(index), at.CreateSelect(is_it, wrapper, otherwise));
}

void weave_function(Function& function, const std::vector<Match>& matches) {
  const NamedFunction& named = *matches.front().function;
  EventPlace place{function, {}, named, {}};
  for (Argument& argument : function.args()) place.arguments.push_back(&argument);
  place.returns_object = function.hasStructRetAttr();
  if (DISubprogram* subprogram = function.getSubprogram())
    place.location = DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
  if (any(matches, pointcut::When::returning)) {
    std::vector<ReturnInst*> returns;
    for (BasicBlock& block : function)
      if (auto* leave = dyn_cast<ReturnInst>(block.getTerminator())) returns.push_back(leave);
    for (ReturnInst* leave : returns) {
      IRBuilder<> builder(leave);
      place.result = leave->getReturnValue();
      insert_events(builder, place, matches, {pointcut::When::returning});
    }
    place.result = nullptr;
  }
  if (any(matches, pointcut::When::after)) {
    const bool unwinds = may_unwind(function);
    if (unwinds) need_personality(function);
    EscapeEnumerator exits(function, "raddle_mop", unwinds);
    while (IRBuilder<>* at = exits.Next())
      insert_events(*at, place, matches, {pointcut::When::after});
  }
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  insert_events(builder, place, matches, {pointcut::When::before});
}

}  // namespace raddle::pass
