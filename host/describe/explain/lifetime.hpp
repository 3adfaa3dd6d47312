// What was used when it was gone: heap memory after it was freed, by an access, by an operation on
// a lock or condition in it, or by freeing it again. Says so before any interference does: a lock
// around the access would not bring the object back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "host/describe/explanation.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

struct UseAfterFree {
  std::size_t freed = 0;    // event
  std::size_t used = 0;     // event: the first access after that
  std::uint64_t block = 0;  // address
};

// Of the failing thread, or else of any: the first access by the program's own code to a block that
// had been freed and not allocated again.
std::optional<UseAfterFree> find_use_after_free(const KeptTrace& trace, ThreadId failing);

// Who freed it where, who used it then, and that it must live longer.
Explanation explain_use_after_free(const KeptTrace& trace, const Failure& failure,
                                   const UseAfterFree& found, Symbolizer& symbols);

}  // namespace raddle
