// What one machine instruction of inline assembly does to memory and to the order of accesses. A
// table for each architecture; one that has none knows no instruction, so all its assembly is
// opaque. To add aarch64: its single instructions (ldar, stlr, swpal, ldaddal, casal, dmb) fit
// here; a loop of ldxr and stxr is no single instruction, and stays opaque. Belongs to
// assembly.cpp.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/TargetParser/Triple.h>

#include <cstdint>

#include "protocol/event.hpp"

namespace raddle::pass {

enum class InstructionKind : std::uint8_t {
  kNothing,   // registers only, or hints; its memory operands do not matter
  kFence,     // orders accesses, touches none
  kMove,      // a load or a store, by which operand is memory
  kRead,      // reads its memory operand
  kUpdate,    // reads and writes its memory operand, in one step if the processor locks it
  kCompare,   // the same, but writes only if a register has the value that was read
  kRegister,  // known for registers only
  kUnknown,
};

struct Instruction {
  InstructionKind kind = InstructionKind::kUnknown;
  std::uint64_t size = 0;  // of the memory operand, by the mnemonic's suffix; 0: not said
  bool locks = false;      // in one step even without a prefix
  MemoryOrder order = MemoryOrder::kSeqCst;  // of a fence
};

// `mnemonic` in lower case, without prefixes.
Instruction look_up_instruction(llvm::Triple::ArchType machine, llvm::StringRef mnemonic);

// It only modifies the instruction that follows: "lock", "rep".
bool is_instruction_prefix(llvm::Triple::ArchType machine, llvm::StringRef word);

}  // namespace raddle::pass
