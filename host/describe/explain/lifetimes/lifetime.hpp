// What was used when it was gone: heap memory after it was freed, by an access, by an operation on
// a lock or condition in it, or by freeing it again. Says so before any interference does: a lock
// around the access would not bring the object back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/describe/explanation.hpp"
#include "host/describe/finding_story.hpp"
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
// `known`: what the object is called if the trace does not tell.
Explanation explain_use_after_free(const KeptTrace& trace, const Failure& failure,
                                   const UseAfterFree& found, Symbolizer& symbols,
                                   const std::string& known = {});

// The same, if a count of owners decides who frees, and is counted and looked at in two steps.
std::optional<Explanation> explain_split_release(const KeptTrace& trace, const Failure& failure,
                                                 const UseAfterFree& found, Symbolizer& symbols);

// Of a finding of an execution that passed, if it is about a lifetime: adds what the trace of that
// execution tells of it. `failure` names its threads.
void explain_lifetime(FindingStory& story, const KeptTrace& trace, const Failure& failure,
                      Symbolizer& symbols);

}  // namespace raddle
