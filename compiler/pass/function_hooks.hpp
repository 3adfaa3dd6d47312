// Puts the hooks into one function. The late phase calls collect(), then insert(), once each.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "compiler/pass/access_names.hpp"
#include "compiler/pass/hook_table.hpp"
#include "compiler/pass/known/assembly.hpp"
#include "compiler/pass/known/call_table.hpp"
#include "compiler/pass/markers.hpp"
#include "compiler/pass/site_table.hpp"

namespace raddle::pass {

// kAlways: the function is a copy that runs only while tracing. kGuarded: the pass cannot copy the
// function, so a test precedes each hook. kChecks: the function is a copy without hooks, but with
// checks whether its accesses are memory faults (memory_checks.cpp).
enum class HookMode { kAlways, kGuarded, kChecks };

class HookBuilder : public llvm::IRBuilder<> {
 public:
  HookBuilder(llvm::Instruction* at, const llvm::DebugLoc& location) : llvm::IRBuilder<>(at) {
    SetCurrentDebugLocation(location);
  }
};

// Converts an integer, pointer or floating-point number to the 64 bits that hooks take.
llvm::Value* as_word(llvm::IRBuilder<>& builder, llvm::Value* value);

// The code that has hooks or checks tells of all locals that other code may know of
// (local_lives.cpp); so whatever else is in its frames is its own.
bool tells_of_all_locals(const llvm::Function& function);

// The program may not make this access itself: not to be judged.
bool may_be_speculative(const llvm::LoadInst& load);

class FunctionHooks {
 public:
  FunctionHooks(llvm::Function& function, HookMode mode, const DebugTypes& types, SiteTable& sites,
                HookTable& hooks);

  // Finds what needs a hook; changes nothing.
  void collect();
  void insert();
  // kChecks, instead of insert(). False: there is nothing to check.
  bool insert_checks();

  // After insert(): the sites of the atomic operations. The version without hooks needs them for
  // its decision points.
  const llvm::DenseMap<const llvm::Instruction*, llvm::Constant*>& atomic_sites() const {
    return atomic_sites_;
  }

 private:
  bool shared(const llvm::Value* pointer);
  void collect(llvm::Instruction& instruction);
  // A builder before an instruction. With kGuarded, it is inside the test.
  HookBuilder before(llvm::Instruction* instruction) {
    return before(instruction, instruction->getDebugLoc());
  }
  HookBuilder before(llvm::Instruction* instruction, const llvm::DebugLoc& location);
  HookBuilder after(llvm::Instruction* instruction);
  llvm::Constant* site(SiteText text, EventKind kind, const llvm::Instruction& at);

  void hook_marker(const Marker& marker);
  void hook_load(llvm::LoadInst* load);
  void hook_store(llvm::StoreInst* store);
  void hook_atomic(llvm::Instruction* operation);
  void hook_atomic_call(llvm::CallBase* call);
  void hook_assembly(llvm::CallBase* call);
  void hook_atomic_assembly(llvm::CallBase* call, const Assembly& assembly);
  void hook_range(llvm::Instruction* call, llvm::Value* pointer, llvm::Value* bytes, EventKind kind,
                  std::uint16_t span);
  void hook_call(llvm::CallBase* call);
  // `alone`: the call touches no other memory that threads may share.
  void hook_touch(llvm::CallBase* call, const Touch& touch, bool alone);
  void hook_allocation(llvm::CallBase* call);
  void hook_annotation(llvm::CallBase* call);
  void hook_masked(llvm::IntrinsicInst* intrinsic);
  void hook_lanes(llvm::IntrinsicInst* intrinsic, llvm::Value* pointers, llvm::Value* mask,
                  llvm::Type* type, EventKind kind);
  void hook_local(llvm::AllocaInst* allocation);
  bool may_be_heap(const llvm::Value* pointer);
  bool check_access(llvm::Instruction* access, llvm::Value* pointer, llvm::Type* type,
                    llvm::Align align, bool writes);
  bool check_call(llvm::CallBase* call);
  bool tell_of_locals();
  void touch_range(HookBuilder& builder, llvm::Constant* where, llvm::Value* pointer,
                   llvm::Value* bytes, bool writes);
  llvm::Value* self_at(const Marker& marker);

  llvm::Function& function_;
  HookMode mode_;
  SiteTable& sites_;
  HookTable& hooks_;
  AccessNames names_;
  llvm::DominatorTree dominators_;
  llvm::SmallPtrSet<llvm::BasicBlock*, 4> allocation_pads_;
  std::vector<Marker> markers_;
  std::vector<llvm::Value*> marker_selves_;
  std::vector<llvm::LoadInst*> loads_;
  std::vector<llvm::StoreInst*> stores_;
  std::vector<llvm::Instruction*> atomics_;
  std::vector<llvm::CallBase*> calls_;
  std::vector<llvm::AllocaInst*> locals_;
  llvm::DenseMap<const llvm::Value*, bool> captured_;
  llvm::DenseMap<const llvm::Instruction*, llvm::Constant*> atomic_sites_;
};

}  // namespace raddle::pass
