// Atomic operations that clang compiles to calls of libatomic, because the object is too large or
// not aligned.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <optional>

#include "protocol/event.hpp"

namespace raddle::pass {

struct AtomicCall {
  EventKind kind;
  std::uint64_t size;  // 0: not a constant
  unsigned pointer;    // index of the argument
  unsigned order;      // index of the argument
  // Indices of the arguments that hold the value to write and receive the value read. -1: there is
  // none, or it is the result of the call. The functions for any size take and give values by
  // address.
  int written;
  int read;
  bool by_address;
};

std::optional<AtomicCall> atomic_call(const llvm::CallBase& call);

}  // namespace raddle::pass
