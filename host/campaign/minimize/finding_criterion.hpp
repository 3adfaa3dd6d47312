// For replaying and minimizing what did not fail: the same finding, as its detector sees it in the
// execution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/campaign/confirm/candidates.hpp"
#include "host/campaign/minimize/minimize.hpp"
#include "host/describe/finding_story.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

class FindingCriterion final : public Criterion {
 public:
  explicit FindingCriterion(Candidate candidate) : candidate_(std::move(candidate)) {}

  EventSink* listen() override;
  bool has(const Execution& execution) override;

 private:
  const Candidate candidate_;
  std::unique_ptr<Pipeline> pipeline_;  // of the execution under way
};

// How a replay file says which finding its execution has, in the place of a failure's group:
// "confirmed | race | PLACE | PATTERN | PLACES of the steps...", numbers in hexadecimal. For
// atom's violations "confirmed | atomicity | STEP | STEP | STEP" of this very execution, which
// cannot be minimized: their detector needs to know what the strategy did. Empty for others.
std::string confirmed_group(const Candidate& candidate, const Finding& finding);

// The other way round, for what can be minimized; false for anything else.
bool parse_confirmed_group(const std::string& group, Candidate* candidate);

// What the group says, as the trace of that execution shows it; nothing if it does not. `group`
// comes from a file and may be anything.
std::optional<FindingStory> confirmed_story(const std::string& group, const Plan& plan,
                                            const KeptTrace& trace);

}  // namespace raddle
