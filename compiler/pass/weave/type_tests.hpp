// What clang says of virtual calls. raddle-c++ --mop lets it note the class whose table a call uses
// (-fwhole-program-vtables): a test of the table against the name of the class, meant for
// optimisations at link time. Here the tests tell the static class of an object, also where debug
// information does not, and which calls go through pointers to members. They must be gone before
// code is generated.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace raddle::pass {

// The class that the program names in a virtual call through this table; empty if nothing tells, as
// of classes that other files cannot name.
std::string tested_class(const llvm::Value* table);

// A call through a pointer to a member: the part of it that looks into the object's table.
struct MemberPointerCall {
  llvm::CallBase* call;
  llvm::LoadInst* entry;  // of the table
  llvm::Value* offset;    // of the entry, in bytes
  llvm::Value* base;      // of the object, in bytes: where the base with the table is; null: at 0
  llvm::PHINode* callee;  // the entry, or a function that is not virtual
  std::string type;       // of the pointer: "int (Shape::*)(int) const"

  std::string cls() const;
  // Whether it can point to the member function with this mangled name, of the class or a base.
  bool fits(llvm::StringRef mangled) const;
};

std::vector<MemberPointerCall> member_pointer_calls(llvm::Function& function);

void erase_type_tests(llvm::Module& module);

}  // namespace raddle::pass
