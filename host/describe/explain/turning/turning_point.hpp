// Two steps whose order decides whether an execution fails: facts of executions, not a pattern.
// Found by host/campaign/hunt/turning_search.hpp, which executes both orders.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "host/describe/explanation.hpp"

namespace raddle {

// Steps are indices into the choice log of their execution. `early` and `late` are of different
// threads, and `begin` is of the thread of `late`.
struct TurningPoint {
  std::uint64_t early = 0;            // of the failing execution: it came before `late` there
  std::optional<std::uint64_t> late;  // likewise; nothing: the execution failed before it
  // Of `passing`, which is the same until there: `late` comes before `early`.
  std::uint64_t passing_late = 0;
  std::uint64_t passing_early = 0;
  KeptTrace passing;
  // Of the failing execution, before `early`: if the thread of `early` goes before this step, an
  // execution passes, too.
  std::optional<std::uint64_t> begin;
  // There is no such step, and executions in which `late` comes first passed in many orders of what
  // follows.
  bool helps_always = false;
};

struct TurningStory {
  Explanation explanation;
  std::set<std::string> objects;  // names of what both steps are about
  ThreadId failing = kNoThread;
};

// `trace` is that of the failing execution. Nothing if the steps have no place in the program.
std::optional<TurningStory> explain_turning_point(const KeptTrace& trace, const Failure& failure,
                                                  const TurningPoint& point, Symbolizer& symbols);

// The explanation is a guess, or a pattern of accesses that may have happened besides.
bool asks_for_turning_point(const Explanation& explanation);

// The explanation is a guess that the story does not confirm; or its accesses are not those whose
// order matters.
bool says_more(const TurningStory& story, const Explanation& explanation);

// The same accesses as `explanation` has, since an earlier one of the same thread: the point says
// that the other thread may come before that, and not any later. What lies in between, and was
// read again without harm, is not what the thread went by. Nothing if the point is about others.
std::optional<Explanation> explain_since_begin(const KeptTrace& trace, const Failure& failure,
                                               const TurningPoint& point,
                                               const Explanation& explanation, Symbolizer& symbols);

}  // namespace raddle
