// Whether what a strategy says it brought about really happened: the execution is replayed, step by
// step, and recorded; the detector for that kind of candidate looks at the recording. Only then is
// a candidate confirmed.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/base/result.hpp"
#include "host/campaign/confirm/candidates.hpp"
#include "host/describe/finding_story.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct Confirmation {
  bool confirmed = false;
  Finding finding;      // as the detector saw it in that execution, level kConfirmed
  FindingStory story;   // the same in words
  std::string why_not;  // "the replay diverged", "the detector does not see it"
};

// A violation of atomicity that the strategy `atom` created: nobody predicted it, so that any will
// do.
inline SoughtFinding any_violation() { return {.kind = FindingKind::atomicity}; }

// The detector for what is sought, to be fed with the events of an execution of which the plan and
// what its strategy said are those of `execution`; and, after its end, what it says of it: null if
// it does not see it.
AnalysisOptions analysis_of(const Execution& execution);  // the blocks that its plan names
std::unique_ptr<Pipeline> confirming_pipeline(const SoughtFinding& sought,
                                              const Execution& execution);
const Finding* confirmed_in(const Pipeline& pipeline, const SoughtFinding& sought);

// Which of these, all of one kind, the detector sees in an execution: their indices. Not for cycles
// of locks. `execution` has its choice log.
Result<std::vector<std::uint32_t>> seen_in(Worker& worker,
                                           std::span<const SoughtFinding* const> sought,
                                           const Execution& execution, const RunOptions& options);

// `execution` has its choice log. An error means that no execution could be started.
Result<Confirmation> confirm_candidate(Worker& worker, const Candidate& candidate,
                                       const Execution& execution, const RunOptions& options);
// All violations of atomicity in an execution, one for each static violation.
struct ViolationsSeen {
  std::vector<Confirmation> violations;
  std::vector<std::uint64_t> warned;  // places of static violations that were possible
  std::string why_not;                // there is none
};
Result<ViolationsSeen> violations_in(Worker& worker, const Execution& execution,
                                     const RunOptions& options);
// Any violation of atomicity that is wanted; one that is not among the places of `known`, if there
// is.
Result<Confirmation> confirm_violation(Worker& worker, const Execution& execution,
                                       const RunOptions& options, const WantsFinding& wants = {},
                                       const std::set<std::uint64_t>& known = {});

}  // namespace raddle
