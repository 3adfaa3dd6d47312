// The functions of a module as pointcuts see them: demangled, with what debug information adds, and
// the classes' bases.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/pass/debug_types.hpp"
#include "prevent/pointcut/signature.hpp"

namespace raddle::pass {

struct NamedFunction {
  pointcut::Function name;
  bool has_this = false;
  bool special = false;  // constructor or destructor
  bool of_base = false;  // the variant of it for a base class
  const llvm::DISubroutineType* type = nullptr;
};

struct VirtualMember {
  unsigned slot;
  std::uint64_t base;  // where in the object the base is whose table has the slot
  const NamedFunction* named;
  const llvm::DISubprogram* declared;
};

class FunctionNames {
 public:
  FunctionNames(const llvm::Module& module, const DebugTypes& types);

  const NamedFunction& of(const llvm::Function& function);
  // The virtual member function that a class has in this slot of its table; null if it is unknown.
  const NamedFunction* in_slot(const llvm::DICompositeType* cls, unsigned slot);
  // All virtual member functions of a class and its bases but the destructors, and the virtual
  // bases.
  std::vector<VirtualMember> virtual_members(const llvm::DICompositeType* cls);
  // Null: the module knows no such class.
  const llvm::DICompositeType* class_named(const std::string& name) const;
  // The destructor of a class, whatever it is called in the object file.
  const NamedFunction& destructor_of(const llvm::DICompositeType* cls);
  std::vector<std::string> bases(const std::string& cls) const;
  // True if `cls` is derived from `base`, directly or not.
  bool derives(const std::string& cls, const std::string& base) const;

 private:
  std::unique_ptr<NamedFunction> make(llvm::StringRef mangled, const llvm::DISubprogram* declared,
                                      const llvm::Function* function) const;
  const llvm::DISubprogram* declaration(llvm::StringRef mangled) const;
  const llvm::DISubprogram* find_slot(const llvm::DICompositeType* cls, unsigned slot, int depth,
                                      const llvm::DISubprogram*& destructor) const;
  void add_virtual_members(const llvm::DICompositeType* cls, std::uint64_t base, bool own,
                           int depth, std::vector<VirtualMember>& out);
  unsigned end_of_table(const llvm::DICompositeType* cls, int depth) const;
  const NamedFunction& of_virtual(const llvm::DISubprogram* member);
  std::string type_text(const llvm::DIType* type, int depth = 0) const;

  const DebugTypes& types_;
  llvm::StringMap<const llvm::DISubprogram*> declared_;
  llvm::StringMap<const llvm::DICompositeType*> classes_;
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<NamedFunction>> named_;
  llvm::DenseMap<const llvm::DISubprogram*, std::unique_ptr<NamedFunction>> virtual_;
  llvm::StringMap<std::unique_ptr<NamedFunction>> destructors_;
};

}  // namespace raddle::pass
