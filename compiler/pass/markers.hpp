// Markers: what the early phase leaves in a function that may be a unit of work, so that the late
// phase knows, after inlining, where it began and ended.
//
// A marker is a call of llvm.var.annotation with an operand bundle. The intrinsic costs the inliner
// nothing and is not vectorised; the bundle makes it a barrier for memory, so that accesses stay
// inside their unit. `this` is an operand as metadata, which is no use: a local object whose
// address goes nowhere else can still live in registers, and then its markers are dropped, unless
// the function reaches out: a unit of work on what it calls and touches it still is.
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
  unsigned number = 0;       // of the function in its module, as its attribute kMarked says
  bool reaches_out = false;  // beyond the fields of its own class: it calls, or touches another's
};

struct Marker {
  llvm::CallInst* call = nullptr;
  bool enter = false;
  MarkerText text;
  llvm::Value* self = nullptr;  // null: none, or gone
  bool self_gone = false;       // there was one, and nothing of it is left
};

void make_marker(llvm::IRBuilder<>& builder, bool enter, const MarkerText& text, llvm::Value* self);

// False if the instruction is no marker.
bool read_marker(llvm::Instruction& instruction, Marker& marker);

}  // namespace raddle::pass
