#include "compiler/pass/known/assembly.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/pass/known/assembly_table.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

enum class Place : std::uint8_t { kElsewhere, kRegister, kStack, kMemory, kUnknown };

// An operand of an instruction.
struct Operand {
  Place place = Place::kUnknown;
  Value* value = nullptr;  // kMemory: the address; kRegister: its value before, if known
  Type* type = nullptr;    // what is there, if known
};

// "$(for one assembler$|for another$)": the first is AT&T's.
std::string first_dialect(StringRef text) {
  std::string chosen;
  bool skips = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    StringRef two = text.substr(i, 2);
    if (two == "$(" || two == "$|" || two == "$)") {
      skips = two == "$|" || (skips && two != "$)");
      ++i;
    } else if (two == "$$") {
      if (!skips) chosen += two;
      ++i;
    } else if (!skips) {
      chosen += text[i];
    }
  }
  return chosen;
}

class Reader {
 public:
  explicit Reader(const CallBase& call)
      : call_(call),
        code_(*cast<InlineAsm>(call.getCalledOperand())),
        constraints_(code_.ParseConstraints()),
        machine_(Triple(call.getModule()->getTargetTriple()).getArch()),
        layout_(call.getDataLayout()) {
    unsigned argument = 0;
    for (const InlineAsm::ConstraintInfo& constraint : constraints_) {
      arguments_.push_back(constraint.hasArg() ? call.getArgOperand(argument) : nullptr);
      elements_.push_back(constraint.hasArg() && constraint.isIndirect
                              ? call.getParamElementType(argument)
                              : nullptr);
      if (constraint.hasArg()) ++argument;
    }
  }

  Assembly read() {
    const std::string text = first_dialect(code_.getAsmString());
    if (!isa<CallInst>(call_) && !isa<InvokeInst>(call_)) return opaque(text);  // asm goto
    SmallVector<StringRef, 8> lines;
    StringRef(text).split(lines, '\n');
    bool known = code_.getDialect() == InlineAsm::AD_ATT || StringRef(text).trim().empty();
    for (StringRef line : lines) {
      SmallVector<StringRef, 4> instructions;
      line.split('#').first.split(instructions, ';');
      for (StringRef instruction : instructions) known = known && read_instruction(instruction);
    }
    if (known && !locked_) return result_;
    return touches_memory(text) ? opaque(text) : Assembly{};
  }

 private:
  Assembly opaque(StringRef text) const {
    Assembly found;
    found.kind = AssemblyKind::kOpaque;
    found.may_synchronise = machine_ != Triple::x86_64;
    for (const char* word : {"lock", "xchg", "fence", "syscall"})
      found.may_synchronise |= text.contains_insensitive(word);
    return found;
  }

  // As the constraints declare it.
  bool touches_memory(StringRef text) const {
    for (const InlineAsm::ConstraintInfo& constraint : constraints_) {
      if (constraint.isIndirect || is_contained(constraint.Codes, "{memory}")) return true;
    }
    return text.contains('(') || text.contains('[') || text.contains("syscall") ||
           text.contains("int") || text.contains("call");
  }

  // Returns false if nobody knows what it does.
  bool read_instruction(StringRef text) {
    text = text.trim();
    std::size_t colon = text.find(':');
    if (colon != StringRef::npos &&
        text.take_front(colon).find_first_of(" \t$%(") == StringRef::npos)
      text = text.drop_front(colon + 1).trim();  // a label
    while (!text.empty()) {
      auto [word, rest] = split_word(text);
      const std::string name = word.lower();
      if (!is_instruction_prefix(machine_, name)) break;
      if (name == "lock") {
        locked_ = true;
      } else {
        repeats_ = true;
      }
      text = rest;
    }
    if (text.empty()) return true;
    auto [word, rest] = split_word(text);
    const std::string name = word.lower();
    const bool locked = locked_;
    const bool repeats = repeats_;
    locked_ = repeats_ = false;
    if (repeats) return name == "nop";  // pause, as old assemblers write it
    return apply(look_up_instruction(machine_, name), locked, operands(rest));
  }

  static std::pair<StringRef, StringRef> split_word(StringRef text) {
    std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    return {text.take_front(end), text.drop_front(end).trim()};
  }

  std::vector<Operand> operands(StringRef text) const {
    std::vector<Operand> found;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && (text[i] == '(' || text[i] == '{')) ++depth;
      if (i < text.size() && (text[i] == ')' || text[i] == '}')) --depth;
      if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
      StringRef part = text.slice(begin, i).trim();
      if (!part.empty()) found.push_back(operand(part));
      begin = i + 1;
    }
    return found;
  }

  // The constraint that "$3" or "${3:q}" names.
  static std::optional<unsigned> number_in(StringRef text) {
    if (!text.consume_front("$")) return std::nullopt;
    if (text.consume_front("{"))
      text = text.take_until([](char c) { return c == ':' || c == '}'; });
    unsigned number = 0;
    if (text.getAsInteger(10, number)) return std::nullopt;
    return number;
  }

  Operand operand(StringRef text) const {
    if (text.starts_with("$$")) return {Place::kElsewhere, nullptr, nullptr};
    if (auto number = number_in(text)) {
      if (*number >= constraints_.size()) return {};
      if (constraints_[*number].isIndirect)
        return {Place::kMemory, arguments_[*number], elements_[*number]};
      return in_register(*number);
    }
    if (text.starts_with("%") && !text.contains(':') && !text.contains('('))
      return {Place::kRegister, nullptr, nullptr};
    // An address in a register: "(%rsp)", "0($1)".
    auto [distance, base] = text.split('(');
    if (!base.consume_back(")")) return {};
    if (base == "%rsp" || base == "%esp") return {Place::kStack, nullptr, nullptr};
    auto number = number_in(base);
    if (!number || *number >= constraints_.size() || (!distance.empty() && distance != "0"))
      return {};
    Operand address = in_register(*number);
    if (!address.value || !address.value->getType()->isPointerTy()) return {};
    return {Place::kMemory, address.value, nullptr};
  }

  Operand in_register(unsigned number) const {
    const InlineAsm::ConstraintInfo& constraint = constraints_[number];
    Operand found{Place::kRegister, arguments_[number], nullptr};
    if (constraint.hasMatchingInput())
      found.value = arguments_[static_cast<unsigned>(constraint.MatchingInput)];
    if (found.value) found.type = found.value->getType();
    return found;
  }

  // The value that a machine register has before.
  Value* value_of_register(StringRef letter) const {
    for (unsigned i = 0; i < constraints_.size(); ++i) {
      const InlineAsm::ConstraintInfo& constraint = constraints_[i];
      if (constraint.Type == InlineAsm::isClobber || constraint.isIndirect) continue;
      const bool named = any_of(constraint.Codes, [&](StringRef code) {
        return code == ("{" + letter + "x}").str() || code == ("{r" + letter + "x}").str() ||
               code == ("{e" + letter + "x}").str() || code == ("{" + letter + "l}").str();
      });
      if (named && in_register(i).value) return in_register(i).value;
    }
    return nullptr;
  }

  std::uint64_t size_of(const Instruction& instruction, const Operand& memory,
                        const std::vector<Operand>& all) const {
    auto plain = [](std::uint64_t size) {
      return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    };
    auto bytes = [&](Type* type) -> std::uint64_t {
      return type && type->isSized() ? layout_.getTypeStoreSize(type).getFixedValue() : 0;
    };
    if (instruction.size != 0) return instruction.size;
    for (const Operand& other : all) {
      if (other.place == Place::kRegister && plain(bytes(other.type))) return bytes(other.type);
    }
    return plain(bytes(memory.type)) ? bytes(memory.type) : 0;
  }

  bool apply(const Instruction& instruction, bool locked, const std::vector<Operand>& all) {
    using Kind = InstructionKind;
    if (instruction.kind == Kind::kUnknown) return false;
    if (instruction.kind == Kind::kNothing) return true;
    if (instruction.kind == Kind::kFence) return set_fence(instruction.order);
    const Operand* memory = nullptr;
    for (const Operand& operand : all) {
      if (operand.place == Place::kUnknown) return false;
      if (operand.place == Place::kMemory || operand.place == Place::kStack) memory = &operand;
    }
    if (!memory) return true;
    if (instruction.kind == Kind::kRegister) return false;
    const bool atomic = locked || instruction.locks;
    // A locked instruction on the thread's own stack is a fence.
    if (memory->place == Place::kStack) return !atomic || set_fence(MemoryOrder::kSeqCst);
    // The flags' way out: "sete" to a local variable.
    if (!atomic && isa<AllocaInst>(getUnderlyingObject(memory->value))) return true;
    if (result_.kind != AssemblyKind::kNothing) return false;  // two operations at once
    result_.pointer = memory->value;
    result_.size = size_of(instruction, *memory, all);
    if (result_.size == 0) return false;
    if (instruction.kind == Kind::kMove) return set_move(memory == &all.back());
    if (instruction.kind == Kind::kRead) {
      result_.kind = AssemblyKind::kRead;
    } else if (!atomic) {
      result_.kind = AssemblyKind::kUpdate;
    } else {
      result_.kind = AssemblyKind::kAtomic;
      result_.event = EventKind::atomic_update;
      result_.order = MemoryOrder::kBarrier;
      if (instruction.kind == Kind::kCompare) set_compare(all);
    }
    return true;
  }

  bool set_fence(MemoryOrder order) {
    if (result_.kind != AssemblyKind::kNothing) return false;
    result_.kind = AssemblyKind::kFence;
    result_.event = EventKind::fence;
    result_.order = order;
    return true;
  }

  // On x86 a load is an acquire and a store a release. Assembly is written for such facts.
  bool set_move(bool stores) {
    result_.kind = AssemblyKind::kAtomic;
    result_.event = stores ? EventKind::atomic_store : EventKind::atomic_load;
    result_.order = stores ? MemoryOrder::kRelease : MemoryOrder::kAcquire;
    return true;
  }

  void set_compare(const std::vector<Operand>& all) {
    Value* expected = value_of_register("a");
    Value* high = result_.size == 16 ? value_of_register("d") : nullptr;
    if (!expected || (result_.size == 16 && !high)) return;  // an update, whatever it finds
    result_.event = EventKind::atomic_compare;
    result_.expected = expected;
    result_.expected_high = high;
    result_.desired = result_.size == 16 ? value_of_register("b")
                      : all.size() == 2  ? all.front().value
                                         : nullptr;
  }

  const CallBase& call_;
  const InlineAsm& code_;
  const InlineAsm::ConstraintInfoVector constraints_;
  const Triple::ArchType machine_;
  const DataLayout& layout_;
  std::vector<Value*> arguments_;  // of each constraint; null: it has none
  std::vector<Type*> elements_;    // of each constraint in memory
  bool locked_ = false;            // a prefix that waits for its instruction
  bool repeats_ = false;
  Assembly result_;
};

}  // namespace

Assembly read_assembly(const CallBase& call) {
  if (call.doesNotAccessMemory()) return {};
  return Reader(call).read();
}

}  // namespace raddle::pass
