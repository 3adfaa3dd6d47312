// Findings of a document, from what the rest of the tool knows of them. Called by the reports.
#pragma once

#include "host/campaign/failures/failure_groups.hpp"
#include "host/describe/failure.hpp"
#include "host/describe/finding_story.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

DocumentFinding finding_of(const Failure& failure);
DocumentFinding finding_of(const FailureGroup& group);
DocumentFinding finding_of(const FindingStory& story);
// `failure` and `execution` are of the smallest execution of the group, which its explanation and
// its timeline are of.
DocumentFinding finding_of(const FailureGroup& group, const Failure& failure,
                           const Execution& execution);
// All that is known of one failing execution.
DocumentFinding finding_of(const Failure& failure, const Explanation& explanation,
                           const Timeline& timeline, const Execution& execution);

// A misuse of a primitive, in an execution that passed.
DocumentFinding finding_of(const MisuseLine& misuse, const Explanation& explanation);

}  // namespace raddle
