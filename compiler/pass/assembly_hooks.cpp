// FunctionHooks: inline assembly that the pass can read. It shows what the same operation in C++
// would show. The values come from memory: while hooks run, no other thread does, so what is there
// before and after the assembly is what it read and wrote.
#include <llvm/IR/InlineAsm.h>

#include "compiler/pass/atomic_points.hpp"
#include "compiler/pass/function_hooks.hpp"
#include "compiler/pass/known/assembly.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr std::uint64_t kWord = 8;

// The first 8 bytes at the address, or all that there are.
Value* load_word(IRBuilder<>& builder, Value* pointer, std::uint64_t size) {
  const auto bits = static_cast<unsigned>(8 * std::min(size, kWord));
  Value* value = builder.CreateAlignedLoad(builder.getIntNTy(bits), pointer, Align(1),
                                           /*isVolatile=*/true);
  return builder.CreateZExt(value, builder.getInt64Ty());
}

Value* low_bytes(IRBuilder<>& builder, Value* value, std::uint64_t size) {
  Value* word = as_word(builder, value);
  return size >= kWord ? word : builder.CreateAnd(word, (std::uint64_t{1} << (8 * size)) - 1);
}

}  // namespace

void FunctionHooks::hook_atomic_assembly(CallBase* call, const Assembly& assembly) {
  SiteText text = names_.describe(*call, assembly.pointer, assembly.size);
  text.flags = static_cast<std::uint8_t>(assembly.order);
  Constant* where = site(text, assembly.event, *call);
  atomic_sites_[call] = where;
  insert_atomic_point(call, where, hooks_);
  const bool compares = assembly.event == EventKind::atomic_compare;
  // Behind the decision, and without a test: the assembly uses this memory in any case.
  IRBuilder<> first(call);
  Value* read = first.getInt64(0);
  Value* matches = first.getTrue();
  if (assembly.event != EventKind::atomic_store)
    read = load_word(first, assembly.pointer, assembly.size);
  if (compares)
    matches = first.CreateICmpEQ(read, low_bytes(first, assembly.expected, assembly.size));
  if (assembly.expected_high) {
    Value* high = first.CreateConstInBoundsGEP1_64(first.getInt8Ty(), assembly.pointer, kWord);
    matches = first.CreateAnd(matches, first.CreateICmpEQ(load_word(first, high, kWord),
                                                          as_word(first, assembly.expected_high)));
  }
  HookBuilder then = after(call);
  Value* written = then.getInt64(0);
  if (compares && assembly.desired) {
    written = low_bytes(then, assembly.desired, assembly.size);
  } else if (assembly.event != EventKind::atomic_load) {
    written = load_word(then, assembly.pointer, assembly.size);
  }
  hooks_.call(
      then, "atomic",
      {where, assembly.pointer, read, written, then.CreateZExt(matches, then.getInt32Ty())});
}

void FunctionHooks::hook_assembly(CallBase* call) {
  const Assembly assembly = read_assembly(*call);
  switch (assembly.kind) {
    case AssemblyKind::kNothing:
    case AssemblyKind::kOpaque:
      return;
    case AssemblyKind::kFence: {
      SiteText text;
      text.flags = static_cast<std::uint8_t>(assembly.order);
      Constant* where = site(text, EventKind::fence, *call);
      atomic_sites_[call] = where;
      insert_atomic_point(call, where, hooks_);
      HookBuilder builder = after(call);
      hooks_.call(builder, "fence", {where});
      return;
    }
    case AssemblyKind::kAtomic:
      if (shared(assembly.pointer)) hook_atomic_assembly(call, assembly);
      return;
    case AssemblyKind::kRead:
    case AssemblyKind::kUpdate: {
      if (!shared(assembly.pointer)) return;
      SiteText text = names_.describe(*call, assembly.pointer, assembly.size);
      Constant* reads = site(text, EventKind::read, *call);
      HookBuilder first = before(call);
      hooks_.call(first, "read_wide", {reads, assembly.pointer, first.getInt64(assembly.size)});
      if (assembly.kind == AssemblyKind::kRead) return;
      Constant* writes = site(text, EventKind::write, *call);
      HookBuilder then = after(call);
      hooks_.call(then, "wrote_wide", {writes, assembly.pointer, then.getInt64(assembly.size)});
      return;
    }
  }
}

}  // namespace raddle::pass
