// Puts the calls of events into functions.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "compiler/pass/weave/matching.hpp"
#include "compiler/pass/weave/type_tests.hpp"

namespace raddle::pass {

// Events around one call. The call may become an invoke, and its block be split; iterators over the
// function are invalid afterwards. What cannot be woven is an error of the compilation. `pointed`
// is for weave_pointers().
void weave_call(llvm::CallBase& call, const std::vector<Match>& matches,
                const llvm::DISubprogram* pointed = nullptr);

// Makes pointers to the function point to one that calls it, with the events around the call.
// Tables of virtual functions stay: calls through them are woven where they are.
void weave_pointers(llvm::Function& function, const std::vector<Match>& matches);
// The same for a pointer to a virtual member function: where `found` looks up this slot, it finds
// a function that makes the virtual call, with the events around it.
void weave_member_pointer(const MemberPointerCall& found, const VirtualMember& member,
                          const std::vector<Match>& matches);
// Whether something other than calls and tables uses the function.
bool has_pointers(const llvm::Function& function);

// Events at the entry and the exits of a function.
void weave_function(llvm::Function& function, const std::vector<Match>& matches);

}  // namespace raddle::pass
