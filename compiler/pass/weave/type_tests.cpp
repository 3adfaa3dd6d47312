#include "compiler/pass/weave/type_tests.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>

#include <cstdlib>

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr StringRef kTypeName = "typeinfo name for ";
constexpr StringRef kVirtual = ".virtual";

const IntrinsicInst* as_test(const User* user) {
  const auto* call = dyn_cast<IntrinsicInst>(user);
  const bool tests = call && (call->getIntrinsicID() == Intrinsic::type_test ||
                              call->getIntrinsicID() == Intrinsic::public_type_test);
  return tests ? call : nullptr;
}

// The name that the value is tested against, demangled: "Shape", "int (Shape::*)(int)". `suffix` is
// what follows the mangled name.
std::string tested_type(const Value* value, StringRef suffix) {
  for (const User* user : value->users()) {
    const IntrinsicInst* test = as_test(user);
    if (!test) continue;
    const auto* metadata = dyn_cast<MetadataAsValue>(test->getArgOperand(1));
    const auto* name = metadata ? dyn_cast<MDString>(metadata->getMetadata()) : nullptr;
    if (!name || !name->getString().ends_with(suffix)) continue;
    const std::string text = demangle(name->getString().drop_back(suffix.size()).str());
    if (StringRef(text).starts_with(kTypeName)) return text.substr(kTypeName.size());
  }
  return "";
}

constexpr StringRef kMember = "::*)";

// The demangler returns memory of malloc().
std::string owned(char* text) {
  std::string out = text ? text : "";
  std::free(text);
  return out;
}

// The entry that a virtual member's pointer stands for: clang computes its address twice, once for
// the test.
std::string pointer_type(const LoadInst& entry, Value*& offset) {
  const auto* at = dyn_cast<GetElementPtrInst>(entry.getPointerOperand());
  if (!at || at->getNumIndices() != 1 || !at->getSourceElementType()->isIntegerTy(8)) return "";
  offset = at->getOperand(1);
  for (const User* user : at->getPointerOperand()->users()) {
    const auto* twin = dyn_cast<GetElementPtrInst>(user);
    if (!twin || twin->getNumIndices() != 1 || twin->getOperand(1) != offset) continue;
    const std::string type = tested_type(twin, kVirtual);
    if (StringRef(type).contains(kMember)) return type;
  }
  return "";
}

// clang adds it to the object's address, unless it is a constant 0.
Value* adjustment(const LoadInst& entry) {
  const auto* at = cast<GetElementPtrInst>(entry.getPointerOperand());
  const auto* table = dyn_cast<LoadInst>(at->getPointerOperand());
  auto* object = table ? dyn_cast<GetElementPtrInst>(table->getPointerOperand()) : nullptr;
  const bool adjusted =
      object && object->getNumIndices() == 1 && object->getSourceElementType()->isIntegerTy(8);
  return adjusted ? object->getOperand(1) : nullptr;
}

}  // namespace

std::string tested_class(const Value* table) { return tested_type(table, ""); }

std::string MemberPointerCall::cls() const {
  const std::size_t end = type.find(kMember);
  std::size_t depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (type[i] == ')') ++depth;
    if (type[i] == '(' && depth-- == 0) return type.substr(i + 1, end - i - 1);
  }
  return "";
}

bool MemberPointerCall::fits(StringRef mangled) const {
  ItaniumPartialDemangler demangler;
  const std::string name = mangled.str();
  if (demangler.partialDemangle(name.c_str()) || !demangler.isFunction()) return false;
  const StringRef behind = StringRef(type).substr(type.find(kMember) + kMember.size());
  const std::string parameters = owned(demangler.getFunctionParameters(nullptr, nullptr));
  if (!behind.starts_with(parameters)) return false;
  const std::string whole = owned(demangler.finishDemangle(nullptr, nullptr));
  return behind.drop_front(parameters.size()).contains("const") ==
         StringRef(whole).substr(StringRef(whole).rfind(')')).contains("const");
}

std::vector<MemberPointerCall> member_pointer_calls(Function& function) {
  std::vector<MemberPointerCall> out;
  for (BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallBase>(&instruction);
      auto* callee = call ? dyn_cast<PHINode>(call->getCalledOperand()) : nullptr;
      if (!callee) continue;
      for (Value* incoming : callee->incoming_values()) {
        auto* entry = dyn_cast<LoadInst>(incoming);
        Value* offset = nullptr;
        const std::string type = entry ? pointer_type(*entry, offset) : "";
        if (!type.empty()) out.push_back({call, entry, offset, adjustment(*entry), callee, type});
      }
    }
  }
  return out;
}

void erase_type_tests(Module& module) {
  for (const Intrinsic::ID id : {Intrinsic::type_test, Intrinsic::public_type_test}) {
    Function* tests = module.getFunction(Intrinsic::getName(id));
    if (!tests) continue;
    while (!tests->use_empty()) {
      auto* test = cast<CallInst>(tests->user_back());
      while (!test->use_empty()) {
        auto* user = cast<Instruction>(test->user_back());
        if (isa<AssumeInst>(user)) {
          user->eraseFromParent();
        } else {
          user->replaceUsesOfWith(test, ConstantInt::getTrue(module.getContext()));
        }
      }
      test->eraseFromParent();
    }
    tests->eraseFromParent();
  }
}

}  // namespace raddle::pass
