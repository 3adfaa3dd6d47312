// Whether what a strategy says it brought about really happened: the execution is replayed, step by
// step, and recorded; the detector for that kind of candidate looks at the recording. Only then is
// a candidate confirmed.
#pragma once

#include <string>

#include "campaign/candidates.hpp"
#include "campaign/worker.hpp"
#include "trace/result.hpp"

namespace raddle {

struct Confirmation {
  bool confirmed = false;
  Finding finding;      // as the detector saw it in that execution, level kConfirmed
  std::string why_not;  // "the replay diverged", "the detector does not see it"
};

// A violation that the strategy `atom` created has no candidate beforehand: this is one, with
// nothing in it but its kind.
Candidate atom_candidate();

// `execution` has its choice log. An error means that no execution could be started.
Result<Confirmation> confirm_candidate(Worker& worker, const Candidate& candidate,
                                       const Execution& execution, const RunOptions& options);

}  // namespace raddle
