// Executions of a document, from what the rest of the tool knows of them. Called by the findings.
#pragma once

#include "host/describe/failure.hpp"
#include "host/describe/finding_story.hpp"
#include "host/describe/timeline/timeline.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

// All that is known of the execution's events; of the threads, how they ended.
DocumentExecution execution_of(const Timeline& timeline, const Failure& failure);
// The last steps of each thread, where there are no events.
DocumentExecution execution_of(const Failure& failure);
// The few steps that a detector names.
DocumentExecution execution_of(const FindingStory& story);

}  // namespace raddle
