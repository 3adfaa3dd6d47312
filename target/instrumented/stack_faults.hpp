// Whether memory on a stack is a local that is gone, for sure. Its shadow says that it was one
// (heap/gone_locals.hpp). That proves a fault if
//   - the thread is not the stack's own: what a thread finds on its own stack may belong to a frame
//     of code without hooks, which lent it to code with hooks (qsort and what it compares);
//   - no frame of the stack's thread that lives lies there, or the frame's function tells of all
//     its locals. The runtime's own frames lend nothing to anybody; nor do those of the C and C++
//     libraries, unless they have called the program back, which may have lent what it was lent.
// Of a thread that has ended and was not joined, no frame lives.
#pragma once

#include <cstdint>

#include "target/heap/gone_locals.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// Whose local it was; null: it may be somebody's. Inside the runtime, by the token's holder.
const Thread* owner_of_gone(std::uint64_t address);

}  // namespace raddle
