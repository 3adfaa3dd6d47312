// The result of `raddle explore`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/failures/misuses.hpp"
#include "host/explore/explore.hpp"
#include "host/report/document/document.hpp"
#include "host/report/text.hpp"
#include "host/report/words/property_words.hpp"
#include "host/symbols/images/unseen_code.hpp"
#include "protocol/plan.hpp"

namespace raddle {

// A finding of an earlier run of the same exploration, from its checkpoint.
struct EarlierFinding {
  std::string group;
  std::string kind;
  std::string message;
  std::string replay;
  std::uint64_t count = 0;
};

// What was explored first because of a change.
struct ExploreChanges {
  std::string base;  // the strategy that was put in another order
  std::string heuristic;
};

// What was asked for, as far as the report speaks of it, and what came of it.
struct ExploreReport {
  std::string program;
  std::string strategy;
  SearchOrder order = SearchOrder::kDpor;  // but for what a change puts first
  std::optional<ExploreChanges> changes;
  std::optional<std::uint32_t> bound;
  DecideKind decide = DecideKind::kSync;

  ExploreResult result;
  std::vector<FailureGroup> findings;  // in the order in which they were found
  std::vector<EarlierFinding> earlier;
  std::vector<VerdictNote> unfinished;  // limits and inconclusive ends, in words
  std::vector<FoundMisuse> misuses;     // of primitives, in executions that passed
  std::string divergence;               // in words; empty if there was none
  bool instrumented = false;            // the program shows its accesses to memory
  std::vector<UnseenCode> unseen;       // code of which memory accesses were not seen
  // causal: library functions that may look at memory by themselves (library_calls.hpp).
  std::vector<std::string> library_calls;
  std::size_t racing_places = 0;  // plain accesses that are decision points because they race
  OutOfControl out_of_control;
  std::vector<std::string> properties;  // enforced ones that had events
  std::optional<DelayReport> delays;    // --delay-events
  std::vector<std::string> remarks;     // about what was asked for
};

// Every schedule that the strategy promises was executed, and nothing was there that could have
// been in another order unseen, or at another time.
inline bool is_complete(const ExploreReport& report) {
  return report.result.complete && report.unseen.empty() && report.library_calls.empty() &&
         report.out_of_control.clones == 0 && !report.out_of_control.goes_by_time();
}

// No execution failed, and the properties would hold, and never deadlock, in every other one, too.
bool proves_properties(const ExploreReport& report);

Document document_of(const ExploreReport& report);

// The two layouts; document_of() puts them into the document.
std::string explore_text(const ExploreReport& report, const TextOptions& look);
nlohmann::ordered_json explore_json(const ExploreReport& report);

// What was covered: "all 1,716 schedules". Exact if `complete`, else with an estimate.
std::string coverage_text(const ExploreReport& report);
// "all schedules", of an exploration with one execution of each kind that came to its end: of what,
// and in which sleeps and time-outs do what.
std::string all_of_them(const ExploreReport& report);
// What it left out, apart from code that was not seen: "other inputs; ...".
std::string not_covered_text(const ExploreReport& report);

// All there is to execute, if the rest is like what is known; 0: no idea. `explored` is the part
// that is done.
std::uint64_t estimated_executions(const SearchCounts& counts, double explored);
double executions_per_second(const ExploreResult& result);

}  // namespace raddle
