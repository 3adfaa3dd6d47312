// FunctionHooks: when locals begin to exist and when they are gone, for those whose address other
// code may have. What is on a stack and gone is nobody's (target/heap/gone_locals.hpp), until a
// function's frame comes to lie there: then all its locals that others may know of begin anew.
//
// A local's scope is what the compiler says (llvm.lifetime); where it says nothing, without
// optimisation for one, a local lives as long as its function's frame.
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/pass/function_hooks.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr Align kGranule = Align::Constant<8>();  // of the shadow

// What is known of a local's life, by its markers.
struct Life {
  std::vector<Instruction*> begins;
  std::vector<Instruction*> ends;
};

Life life_of(const AllocaInst& local) {
  Life life;
  for (const User* user : local.users()) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(user);
    if (intrinsic == nullptr) continue;
    auto* marker = const_cast<IntrinsicInst*>(intrinsic);
    if (marker->getIntrinsicID() == Intrinsic::lifetime_start) life.begins.push_back(marker);
    if (marker->getIntrinsicID() == Intrinsic::lifetime_end) life.ends.push_back(marker);
  }
  return life;
}

// Where the function's frame goes away. An exception that passes through goes by without a trace:
// what is gone then is not known to be.
std::vector<Instruction*> exits_of(Function& function) {
  std::vector<Instruction*> exits;
  for (BasicBlock& block : function) {
    Instruction* last = block.getTerminator();
    if (!isa<ReturnInst>(last) && !isa<ResumeInst>(last)) continue;
    // A call in the place of the return has no frame to go away behind it.
    CallInst* tail = block.getTerminatingMustTailCall();
    exits.push_back(tail != nullptr ? tail : last);
  }
  return exits;
}

}  // namespace

bool tells_of_all_locals(const Function& function) {
  // Arguments without a name lie in the frame of the caller, or in an area that only va_arg knows.
  if (function.isVarArg()) return false;
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr) continue;
      for (unsigned i = 0; i < call->arg_size(); ++i) {
        if (call->isByValArgument(i) || call->isInAllocaArgument(i)) return false;
      }
    }
  }
  return true;
}

bool FunctionHooks::tell_of_locals() {
  if (locals_.empty()) return false;
  const std::vector<Instruction*> exits = exits_of(function_);
  const DataLayout& layout = function_.getDataLayout();
  for (AllocaInst* local : locals_) {
    // No two locals in one granule of the shadow.
    local->setAlignment(std::max(local->getAlign(), kGranule));
    const std::uint64_t size = layout.getTypeAllocSize(local->getAllocatedType());
    if (!local->isStaticAlloca()) {
      // It is made where it is computed; how long the program needs it, nobody says.
      HookBuilder builder(local->getNextNode(), local->getDebugLoc());
      Value* count = builder.CreateZExtOrTrunc(local->getArraySize(), builder.getInt64Ty());
      hooks_.call(builder, "local_begins",
                  {local, builder.CreateMul(count, builder.getInt64(size))});
      continue;
    }
    const auto* count = dyn_cast<ConstantInt>(local->getArraySize());
    const std::uint64_t bytes = size * (count != nullptr ? count->getZExtValue() : 1);
    if (bytes == 0) continue;
    const Life life = life_of(*local);
    const auto tell = [&](Instruction* at, const char* hook) {
      HookBuilder builder(at, at->getDebugLoc());
      hooks_.call(builder, hook, {local, builder.getInt64(bytes)});
    };
    for (Instruction* marker : life.begins) tell(marker->getNextNode(), "local_begins");
    if (life.begins.empty())
      tell(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), "local_begins");
    for (Instruction* marker : life.ends) tell(marker, "local_ends");
    if (life.ends.empty())
      for (Instruction* exit : exits) tell(exit, "local_ends");
  }
  return true;
}

}  // namespace raddle::pass
