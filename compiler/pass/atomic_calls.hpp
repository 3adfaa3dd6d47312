// Atomic operations that are calls of libatomic: objects that are too large or not aligned.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <optional>

#include "protocol/event.hpp"

namespace raddle::pass {

struct AtomicCall {
  EventKind kind;
  std::uint64_t size;  // 0: not constant
  unsigned pointer;    // argument
  unsigned order;      // argument
  // Arguments: where the value that is written is, and where the one that was read goes; -1: none,
  // or it is the call's result. By address in the functions for any size.
  int written;
  int read;
  bool by_address;
};

std::optional<AtomicCall> atomic_call(const llvm::CallBase& call);

}  // namespace raddle::pass
