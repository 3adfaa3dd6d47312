// Which events of the table are at a call, or in a function. Looks only; insertion.hpp changes the
// module.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/pass/value_types.hpp"
#include "compiler/pass/weave/function_names.hpp"
#include "prevent/pointcut/table.hpp"

namespace raddle::pass {

// An event at a place. Values are bound as its first alternative that fits says.
struct Match {
  const pointcut::TableEvent* event;
  const pointcut::Alternative* alternative;
  std::uint32_t cases = 0;
  const NamedFunction* function = nullptr;  // that is called, or executes
};

class Matching {
 public:
  Matching(const pointcut::Table& table, FunctionNames& names) : table_(table), names_(names) {}

  std::vector<Match> at_call(const llvm::CallBase& call, ValueTypes& values,
                             const DebugTypes& types);
  // At a call through a pointer to the function.
  std::vector<Match> through_pointer(const NamedFunction& function);
  std::vector<Match> in_function(const llvm::Function& function);

  // The events that matched so far.
  const std::set<const pointcut::TableEvent*>& matched() const { return matched_; }

 private:
  const NamedFunction* callee_of(const llvm::CallBase& call, ValueTypes& values,
                                 const DebugTypes& types);
  const llvm::DICompositeType* class_of(const llvm::Value* object, ValueTypes& values,
                                        const DebugTypes& types);
  bool is_detail(const llvm::CallBase& call, const NamedFunction& callee, ValueTypes& values,
                 const DebugTypes& types);
  std::vector<Match> matches(const NamedFunction& function, const NamedFunction& around,
                             bool execution);
  bool fits(const pointcut::TableEvent& event, const pointcut::Alternative& alternative,
            const NamedFunction& function, const NamedFunction& around, bool execution) const;

  const pointcut::Table& table_;
  FunctionNames& names_;
  std::set<const pointcut::TableEvent*> matched_;
};

}  // namespace raddle::pass
