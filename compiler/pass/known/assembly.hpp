// What inline assembly does to memory, read from its text and constraints. The hooks
// (assembly_hooks.cpp) show it as the same operation in C++ would be shown; the list of seen
// functions leaves out what is opaque.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>

#include "protocol/event.hpp"

namespace raddle::pass {

enum class AssemblyKind : std::uint8_t {
  kNothing,  // touches no memory of others, orders nothing but the compiler
  kFence,
  kAtomic,  // one atomic load, store or read-modify-write
  kRead,    // one plain read
  kUpdate,  // one plain read and write, which others may get between
  kOpaque,  // touches memory, nobody knows how
};

struct Assembly {
  AssemblyKind kind = AssemblyKind::kNothing;
  EventKind event = EventKind::none;         // kFence, kAtomic
  MemoryOrder order = MemoryOrder::kSeqCst;  // kFence, kAtomic
  llvm::Value* pointer = nullptr;            // kAtomic, kRead, kUpdate
  std::uint64_t size = 0;                    // bytes there: 1, 2, 4, 8 or 16
  // atomic_compare: what must be there, in one register or two, and what replaces it. Null: not
  // known.
  llvm::Value* expected = nullptr;
  llvm::Value* expected_high = nullptr;
  llvm::Value* desired = nullptr;
  bool may_synchronise = false;  // kOpaque: what it hides may order what threads do
};

// `call` calls inline assembly.
Assembly read_assembly(const llvm::CallBase& call);

}  // namespace raddle::pass
