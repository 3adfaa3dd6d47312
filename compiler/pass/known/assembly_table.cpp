#include "compiler/pass/known/assembly_table.hpp"

#include <llvm/ADT/StringSwitch.h>

namespace raddle::pass {

using namespace llvm;

namespace {

using Kind = InstructionKind;

// Mnemonics without a suffix for the size.
Instruction look_up_x86(StringRef stem) {
  constexpr MemoryOrder kAll = MemoryOrder::kSeqCst;
  return StringSwitch<Instruction>(stem)
      .Case("mfence", {Kind::kFence, 0, false, MemoryOrder::kSeqCst})
      .Case("lfence", {Kind::kFence, 0, false, MemoryOrder::kAcquire})
      .Case("sfence", {Kind::kFence, 0, false, MemoryOrder::kRelease})
      .Cases("pause", "nop", "endbr64", "lea", {Kind::kNothing, 0, false, kAll})
      .Cases("prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw",
             {Kind::kNothing, 0, false, kAll})
      .Cases("clflush", "clflushopt", "clwb", "rdtsc", "rdtscp", "cpuid", "rdpid", "xgetbv",
             "rdrand", {Kind::kNothing, 0, false, kAll})
      .Case("mov", {Kind::kMove, 0, false, kAll})
      .Cases("cmp", "test", "bt", {Kind::kRead, 0, false, kAll})
      .Case("xchg", {Kind::kUpdate, 0, true, kAll})
      .Cases("add", "adc", "and", "btc", "btr", "bts", "dec", {Kind::kUpdate, 0, false, kAll})
      .Cases("inc", "neg", "not", "or", "sbb", "sub", "xadd", "xor",
             {Kind::kUpdate, 0, false, kAll})
      .Case("cmpxchg", {Kind::kCompare, 0, false, kAll})
      .Case("cmpxchg16b", {Kind::kCompare, 16, false, kAll})
      .Cases("bswap", "bsf", "bsr", "popcnt", "lzcnt", "tzcnt", "shl", "shr", "sar",
             {Kind::kRegister, 0, false, kAll})
      .Cases("rol", "ror", "mul", "imul", "div", "idiv", "cltq", "cltd", "cqto",
             {Kind::kRegister, 0, false, kAll})
      .Default({});
}

Instruction look_up_x86_sized(StringRef mnemonic) {
  if (Instruction found = look_up_x86(mnemonic); found.kind != Kind::kUnknown) return found;
  if (mnemonic.starts_with("set") || mnemonic.starts_with("cmov")) {
    Instruction found;
    found.kind = mnemonic.starts_with("set") ? Kind::kMove : Kind::kRegister;
    found.size = mnemonic.starts_with("set") ? 1 : 0;
    return found;
  }
  if (mnemonic.size() < 2) return {};
  const std::uint64_t size = StringSwitch<std::uint64_t>(mnemonic.take_back(1))
                                 .Case("b", 1)
                                 .Case("w", 2)
                                 .Case("l", 4)
                                 .Case("q", 8)
                                 .Default(0);
  if (size == 0) return {};
  Instruction found = look_up_x86(mnemonic.drop_back(1));
  if (found.kind == Kind::kFence || found.size != 0) return {};
  found.size = size;
  return found;
}

}  // namespace

Instruction look_up_instruction(Triple::ArchType machine, StringRef mnemonic) {
  return machine == Triple::x86_64 ? look_up_x86_sized(mnemonic) : Instruction{};
}

bool is_instruction_prefix(Triple::ArchType machine, StringRef word) {
  if (machine != Triple::x86_64) return false;
  return word == "lock" || word == "rep" || word == "repe" || word == "repz" || word == "repne" ||
         word == "repnz";
}

}  // namespace raddle::pass
