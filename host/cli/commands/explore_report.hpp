// The result of `raddle explore`, as text and as JSON, and how far it is while it runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"
#include "host/cli/options/options.hpp"
#include "host/explore/explore.hpp"
#include "host/report/text.hpp"

namespace raddle {

// A finding of an earlier run of the same exploration, from its checkpoint.
struct EarlierFinding {
  std::string group;
  std::string kind;
  std::string message;
  std::string replay;
  std::uint64_t count = 0;
};

struct ExploreReport {
  ExploreResult result;
  std::vector<FailureGroup> findings;  // in the order in which they were found
  std::vector<EarlierFinding> earlier;
  std::vector<Note> unfinished;  // limits and inconclusive ends, in words
  std::string divergence;        // in words; empty if there was none
  bool instrumented = false;
  std::size_t racing_places = 0;     // plain accesses that are decision points because they race
  std::vector<std::string> remarks;  // about what was asked for
};

std::string explore_text(const ExploreCommand& command, const ExploreReport& report,
                         const TextOptions& look);
nlohmann::ordered_json explore_json(const ExploreCommand& command, const ExploreReport& report);

// 1: something fails. 3: diverged, or no execution gave a verdict. Else 0.
int explore_exit_status(const ExploreReport& report);

// What was covered: "all 1,716 schedules". Exact if `complete`, else with an estimate.
// `instrumented`: the program shows its accesses to memory.
std::string coverage_text(const ExploreCommand& command, const ExploreResult& result,
                          bool instrumented);

// One line on a terminal, else a plain line every few seconds; on standard error.
class ExploreProgressLine {
 public:
  ExploreProgressLine();
  ~ExploreProgressLine();
  void update(const ExploreProgress& progress);

 private:
  const bool terminal_;
  double next_;
  bool shown_ = false;
};

}  // namespace raddle
