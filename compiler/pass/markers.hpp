// Markers: the early phase leaves them in a function that may be a unit of work. After inlining,
// the late phase sees from them where the function began and ended.
//
// A marker is a call of llvm.var.annotation with an operand bundle. The intrinsic costs the inliner
// nothing, and no pass vectorises it. The bundle makes it a barrier for memory, so that accesses
// stay inside their unit.
//
// A marker refers to `this` through metadata, which does not count as a use. So a local object
// whose address goes nowhere else can still live in registers. The late phase drops the markers of
// such an object, unless the function reaches out: then it is still a unit of work on what it calls
// and touches.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <string>

namespace raddle::pass {

struct MarkerText {
  std::string cls;
  std::uint8_t flags = 0;  // kSite...
  std::uint32_t class_size = 0;
  unsigned number = 0;       // of the function in its module; the same as in its attribute kMarked
  bool reaches_out = false;  // it calls functions, or touches fields of other classes
};

struct Marker {
  llvm::CallInst* call = nullptr;
  bool enter = false;
  MarkerText text;
  llvm::Value* self = nullptr;  // null: the function has no `this`, or it is gone
  bool self_gone = false;       // the function has `this`, but the optimiser left nothing of it
};

void make_marker(llvm::IRBuilder<>& builder, bool enter, const MarkerText& text, llvm::Value* self);

// Returns false if the instruction is no marker.
bool read_marker(llvm::Instruction& instruction, Marker& marker);

}  // namespace raddle::pass
