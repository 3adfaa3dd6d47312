// Finds the program's type that a pointer in the IR points to. LLVM's pointers have no such type,
// but the variables and functions of the debug information do. From there the types follow the IR
// through loads, address computations and calls.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>

#include "compiler/pass/debug_types.hpp"

namespace raddle::pass {

// Where a pointer points: `offset` bytes into an object of type `root`. With a `stride`, the
// program adds a multiple of the stride that only it knows.
struct Place {
  const llvm::DIType* root = nullptr;
  std::int64_t offset = 0;
  std::uint64_t stride = 0;
  const llvm::Value* base = nullptr;  // the pointer to the root object
};

// The meaning of an access to the user. A text is empty if it is unknown.
struct AccessName {
  std::string cls;
  std::string field;
  std::uint32_t offset = 0;
  std::uint8_t flags = 0;  // kSite...
  std::string set;
  bool exact = false;  // class and offset are both known
  bool whole = false;  // the access covers the whole object
};

// The types of one function's values. Invalid after the function has changed.
class ValueTypes {
 public:
  ValueTypes(const llvm::Function& function, const DebugTypes& types);

  Place place(const llvm::Value* pointer);
  const llvm::DataLayout& layout() const { return layout_; }
  const llvm::DIType* pointee_of(const llvm::Value* pointer);
  // The type that a pointer stored at this place points to.
  const llvm::DIType* stored_pointee(const llvm::Value* pointer) {
    return stored_pointee(place(pointer));
  }
  // Names an access of `size` bytes through the pointer. Knows class and field only.
  AccessName name(const llvm::Value* pointer, std::uint64_t size, bool range = false);
  struct Variable {
    const llvm::DILocalVariable* variable = nullptr;
    const llvm::DILocation* inlined_at = nullptr;
  };
  // The variable that lives in a local allocation; null if none does.
  Variable variable(const llvm::Value* allocation) const;

 private:
  const llvm::DIType* compute_pointee(const llvm::Value* pointer, int depth);
  const llvm::DIType* pointee_by_use(const llvm::Value* pointer, int depth);
  const llvm::DIType* pointee_of(const llvm::Value* pointer, int depth);
  Place place(const llvm::Value* pointer, int depth);
  Place joined_place(const llvm::Value* pointer, int depth);
  const llvm::DIType* stored_pointee(const Place& place) const;
  const llvm::DIType* argument_type(const llvm::Argument& argument) const;

  const llvm::Function& function_;
  const DebugTypes& types_;
  const llvm::DataLayout& layout_;
  // in_memory_ has the variable that lives in an allocation. in_value_ has the type that a value
  // points to; if several variables hold the value, the largest type wins, which is the object that
  // contains the others.
  llvm::DenseMap<const llvm::Value*, Variable> in_memory_;
  llvm::DenseMap<const llvm::Value*, const llvm::DIType*> in_value_;
  llvm::DenseMap<const llvm::Value*, const llvm::DIType*> pointees_;
  llvm::DenseMap<const llvm::Value*, Place> joined_;
};

}  // namespace raddle::pass
