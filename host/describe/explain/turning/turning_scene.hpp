// Both executions of a turning point, and what is asked of them: shared by the files of this folder
// that make a story of it (turning_point.cpp puts it together).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/turning/turning_point.hpp"

namespace raddle {

struct TurningScene {
  TurningScene(const KeptTrace& failing_trace, const KeptTrace& passing_trace,
               const Failure& its_failure, const TurningPoint& its_point, Symbolizer& its_symbols);

  const KeptTrace& failing;
  const KeptTrace& passing;
  Symbolizer& symbols;
  const Failure& failure;  // of `failing`
  const TurningPoint& point;
  const Failure no_failure{};      // of `passing`
  AccessHistory history;           // of `failing`
  ProgramSites program_here;       // of `failing`
  ProgramSites program_there;      // of `passing`
  Storyteller here;                // of `failing`
  Storyteller there;               // of `passing`
  std::vector<std::size_t> early;  // events of the step that came too early, of `failing`
  std::vector<std::size_t> late;   // of the one that comes first in `passing`
};

// Two events of the two steps that are about the same thing.
struct Conflict {
  std::size_t early = 0;  // event of the failing execution
  std::size_t late = 0;   // of the passing one
};

// Two accesses of one place, one of which writes; first those that say most.
std::vector<Conflict> conflicts_in(TurningScene& scene);
// No memory that both use: a lock, a condition.
std::optional<Conflict> meeting_of_locks(TurningScene& scene);
// The failing thread makes one of the two; or it came when both had ended, so that no order but
// theirs matters.
bool concerns_failing(TurningScene& scene, const Conflict& one);
// Of the step where the other thread should not have come in any more: what it wrote or read of
// the same place, else of what is shared, else the lock that it took.
std::optional<std::size_t> step_representative(TurningScene& scene,
                                               const std::vector<std::size_t>& step,
                                               const Conflict& chosen);

// Both threads update a variable and then take a lock; one of them did both in between the
// other's two steps.
std::optional<TurningStory> explain_overtaken(TurningScene& scene);
// The early step looks, without a lock, at what the late one changes with it, and what its thread
// then does with the lock rests on that.
std::optional<TurningStory> explain_acted_late(TurningScene& scene);
// The first of the two steps reads what the last one writes, and the other thread wrote it in
// between: that is an update which was lost, whoever met the result.
std::optional<TurningStory> explain_lost_update(TurningScene& scene);

// Names the lock that the thread held at the first step and took again for the last, and suggests
// what would have kept the other thread out, if something would.
void tell_of_locks_between(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                           std::optional<std::size_t> late_here, Explanation& explanation);
// The function that made the first step has not returned: it could hold a lock until the last.
bool goes_on(TurningScene& scene, std::size_t begin, std::size_t late);

// The other thread came too early since something had been made known too early: at the first of
// the two steps, if there are two.
bool tell_of_what_was_known(TurningScene& scene, const Conflict& chosen,
                            std::optional<std::size_t> begin, std::optional<std::size_t> late_here,
                            Explanation& explanation);
// The first of the two steps let the other thread know, by an atomic variable, of what the last
// one writes: it came too early.
bool tell_of_publication(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                         Explanation& explanation);
// The thread read or took a variable and then read a flag; the other one wrote both in between, the
// flag last. Who sees it set before it reads the rest knows that all of that is there.
bool reads_flag_last(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                     const std::set<std::size_t>& shown);

// The last step is inside a std::function that the thread had copied with the first one, and the
// other thread changed where it had been in between: who takes a function off must expect that it
// is called once more, or wait.
void add_called_copy(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                     const std::set<std::size_t>& shown, Explanation& explanation,
                     ExplainedTurn& turn);

// The failing thread waits for a future for ever, and this one fulfils a promise in the execution
// that passes: it went another way here.
bool fulfils_in_passing(const TurningScene& scene, ThreadId other);
// Says so, of the thread of the late step.
void add_unfulfilled(TurningScene& scene, Explanation& explanation);

// A promise came to nothing here, and does not in the execution that passes: who destroys it need
// not wait for others, it must not be lost.
void add_abandoned_promise(TurningScene& scene, Explanation& explanation);

}  // namespace raddle
