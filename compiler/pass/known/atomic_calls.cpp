#include "compiler/pass/known/atomic_calls.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

namespace raddle::pass {

using namespace llvm;

namespace {

// The functions for any size: __atomic_load(size, object, result, order) and so on.
std::optional<AtomicCall> any_size(StringRef name, const CallBase& call) {
  AtomicCall found{EventKind::none, 0, 1, 0, -1, -1, true};
  unsigned arguments = 0;
  if (name == "load") {
    found.kind = EventKind::atomic_load;
    found.read = 2;
    found.order = 3;
    arguments = 4;
  } else if (name == "store") {
    found.kind = EventKind::atomic_store;
    found.written = 2;
    found.order = 3;
    arguments = 4;
  } else if (name == "exchange") {
    found.kind = EventKind::atomic_update;
    found.written = 2;
    found.read = 3;
    found.order = 4;
    arguments = 5;
  } else if (name == "compare_exchange") {
    found.kind = EventKind::atomic_compare;
    found.written = 3;
    found.read = 2;
    found.order = 4;
    arguments = 6;
  }
  if (arguments == 0 || call.arg_size() != arguments) return std::nullopt;
  if (const auto* size = dyn_cast<ConstantInt>(call.getArgOperand(0))) {
    found.size = size->getZExtValue();
  }
  return found;
}

// The functions for one size: __atomic_load_16(object, order) and so on.
std::optional<AtomicCall> one_size(StringRef name, const CallBase& call, std::uint64_t size) {
  AtomicCall found{EventKind::none, size, 0, 0, -1, -1, false};
  unsigned arguments = 0;
  if (name == "load") {
    found.kind = EventKind::atomic_load;
    found.order = 1;
    arguments = 2;
  } else if (name == "store") {
    found.kind = EventKind::atomic_store;
    found.written = 1;
    found.order = 2;
    arguments = 3;
  } else if (name == "exchange" || name.starts_with("fetch_") || name.ends_with("_fetch")) {
    found.kind = EventKind::atomic_update;
    if (name == "exchange") found.written = 1;
    found.order = 2;
    arguments = 3;
  } else if (name == "compare_exchange") {
    found.kind = EventKind::atomic_compare;
    found.written = 2;
    found.read = 1;
    found.order = 3;
    arguments = 5;
  }
  if (arguments == 0 || call.arg_size() != arguments) return std::nullopt;
  return found;
}

}  // namespace

std::optional<AtomicCall> atomic_call(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return std::nullopt;
  StringRef name = callee->getName();
  if (!name.consume_front("__atomic_")) return std::nullopt;
  auto [operation, suffix] = name.rsplit('_');
  std::uint64_t size = 0;
  std::optional<AtomicCall> found =
      suffix.getAsInteger(10, size) ? any_size(name, call) : one_size(operation, call, size);
  if (!found || !call.getArgOperand(found->pointer)->getType()->isPointerTy() ||
      !call.getArgOperand(found->order)->getType()->isIntegerTy()) {
    return std::nullopt;
  }
  return found;
}

}  // namespace raddle::pass
