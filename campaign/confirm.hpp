// Whether what a strategy says it brought about really happened: the execution is replayed, step by
// step, and recorded; the detector for that kind of candidate looks at the recording. Only then is
// a candidate confirmed.
#pragma once

#include <memory>
#include <string>

#include "analysis/pipeline.hpp"
#include "campaign/candidates.hpp"
#include "campaign/worker.hpp"
#include "report/finding_story.hpp"
#include "trace/result.hpp"

namespace raddle {

struct Confirmation {
  bool confirmed = false;
  Finding finding;      // as the detector saw it in that execution, level kConfirmed
  FindingStory story;   // the same in words
  std::string why_not;  // "the replay diverged", "the detector does not see it"
};

// A violation that the strategy `atom` created has no candidate beforehand: this is one, with
// nothing in it but its kind.
Candidate atom_candidate();

// The detector for that kind of candidate, to be fed with the events of an execution of which the
// plan and what its strategy said are those of `execution`; and, after its end, what it says of the
// candidate: null if it does not see it.
std::unique_ptr<Pipeline> confirming_pipeline(const Candidate& candidate,
                                              const Execution& execution);
const Finding* confirmed_in(const Pipeline& pipeline, const Candidate& candidate);

// `execution` has its choice log. An error means that no execution could be started.
Result<Confirmation> confirm_candidate(Worker& worker, const Candidate& candidate,
                                       const Execution& execution, const RunOptions& options);

}  // namespace raddle
