// Objects of the parameters' classes that begin and end: their monitors must not be those of
// another object that was at the same address. Constructors and destructors tell of most objects; a
// class without them is seen where its variables are declared and where its memory is given back.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/pass/value_types.hpp"
#include "compiler/pass/weave/function_names.hpp"
#include "prevent/pointcut/table.hpp"

namespace raddle::pass {

class Lifetimes {
 public:
  Lifetimes(const pointcut::Table& table, const DebugTypes& types, FunctionNames& names)
      : table_(table), types_(types), names_(names) {}

  // Looks, before the function is changed.
  void collect(llvm::Function& function, ValueTypes& values);
  // Puts the calls into the function that was collected last, before events change it.
  void insert();
  // Before the events of a call: if it constructs an object for which there is an event before
  // that, the object is new now, and not in its constructor, which would end what the event began.
  void insert_before(llvm::CallBase& call, const NamedFunction& callee);
  // If the function is a constructor or destructor: at its entry or its exits, after the events.
  void insert_own(llvm::Function& function);

 private:
  using Classes = std::vector<const pointcut::TableClass*>;
  struct Place {
    llvm::Instruction* before;
    llvm::Value* object;
    std::uint64_t size;  // of one object
    llvm::Value* bytes;  // of all that end here; null: it is one
    Classes classes;
  };

  Classes classes_of(const llvm::DIType* type, bool without_functions) const;
  Classes classes_of(const NamedFunction& member) const;
  bool has_event_before(const NamedFunction& constructor) const;
  void collect_variables(llvm::Function& function, ValueTypes& values);
  void collect_variable(llvm::Value* memory, const llvm::DILocalVariable* variable,
                        llvm::Instruction& before);
  void collect_memory(llvm::Function& function, ValueTypes& values);
  void tell(llvm::Instruction* before, llvm::Value* object, const Classes& classes,
            std::uint64_t size, llvm::Value* bytes);

  const pointcut::Table& table_;
  const DebugTypes& types_;
  FunctionNames& names_;
  std::vector<Place> places_;
};

}  // namespace raddle::pass
