// The result of `raddle replay`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/describe/explanation.hpp"
#include "host/describe/failure.hpp"
#include "host/describe/finding_story.hpp"
#include "host/describe/timeline/timeline.hpp"
#include "host/process/execution.hpp"
#include "host/replay/replay_file.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct ExplainedMisuse {
  MisuseLine misuse;
  Explanation explanation;  // empty if its events do not show how it came about
};

struct ReplayReport {
  std::string path;
  const ReplayFile& file;
  Execution execution;
  Failure failure;
  Explanation explanation;
  Timeline timeline;
  std::optional<Timeline> passing;  // of the nearest execution that passes, if it was looked for
  std::optional<FindingStory> finding;   // that was confirmed when it was recorded
  std::vector<ExplainedMisuse> misuses;  // of an execution that passed
  std::string difference;                // why this is not the recorded execution; empty if it is
  bool interrupted = false;              // by the user: then a difference tells nothing
};

// How the replay differs from the recording; empty if it does not.
std::string difference(const ReplayFile& file, const Execution& execution, const Failure& failure);

Document document_of(const ReplayReport& report);

}  // namespace raddle
