#include "compiler/pass/speculation/speculation.hpp"

#include <llvm/ADT/STLExtras.h>

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr char kUnspeculated[] = "raddle-unspeculated";  // an attribute: the other one is ours

}  // namespace

void forbid_speculation(Module& module) {
  const auto has = [](const Function& function) {
    return function.hasFnAttribute(Attribute::SanitizeThread);
  };
  // The user builds for ThreadSanitizer: it decides itself which functions are checked.
  if (any_of(module, has)) return;
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr(Attribute::SanitizeThread);
    function.addFnAttr(kUnspeculated);
  }
}

void allow_speculation(Module& module) {
  for (Function& function : module) {
    if (!function.hasFnAttribute(kUnspeculated)) continue;
    function.removeFnAttr(Attribute::SanitizeThread);
    function.removeFnAttr(kUnspeculated);
  }
}

}  // namespace raddle::pass
