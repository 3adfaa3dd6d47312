// Names accesses for the late phase. The name comes from debug information, from the metadata of
// the early phase, or from the TBAA tag. Where all three are silent, an access has at least the
// name of its variable.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/site_table.hpp"
#include "compiler/pass/value_types.hpp"

namespace raddle::pass {

class AccessNames {
 public:
  AccessNames(const llvm::Function& function, const DebugTypes& types);

  // Fills in everything but the kind.
  SiteText describe(const llvm::Instruction& access, const llvm::Value* pointer, std::uint64_t size,
                    bool range = false);
  // The same for an access that may cover several fields. Each part has its distance from the
  // pointer and its size.
  struct Part {
    std::uint64_t distance;
    std::uint64_t size;
    SiteText site;
  };
  std::vector<Part> describe_parts(const llvm::Instruction& access, const llvm::Value* pointer,
                                   std::uint64_t size);
  // The same for a range; `bytes` may be null or not constant.
  SiteText describe_range(const llvm::Instruction& access, const llvm::Value* pointer,
                          const llvm::Value* bytes);
  SiteText describe_local(const llvm::AllocaInst& allocation);
  bool is_vtable_pointer(const llvm::Value* value);

 private:
  AccessName from_tbaa(const llvm::Instruction& access, std::uint64_t size) const;
  void add_variable(const llvm::Value* pointer, SiteText& site) const;
  bool may_be_number(const llvm::Instruction& access, const llvm::Value* pointer,
                     std::uint64_t size) const;

  const DebugTypes& types_;
  ValueTypes values_;
};

// The name of an access as metadata kAccessMetadata: the early phase writes, the late phase reads.
void write_access_name(llvm::Instruction& access, const AccessName& name);
bool read_access_name(const llvm::Instruction& access, AccessName& name);

}  // namespace raddle::pass
