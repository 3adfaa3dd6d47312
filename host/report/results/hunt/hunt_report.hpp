// The result of `raddle hunt`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/campaign/hunt/hunt.hpp"
#include "host/process/native.hpp"
#include "host/report/document/document.hpp"
#include "host/report/results/explore_report.hpp"
#include "host/report/text.hpp"

namespace raddle {

// What was asked for, as far as the report speaks of it, and what came of it.
struct HuntReport {
  std::string program;
  std::string folder;         // where the replay files are
  bool all = false;           // also what did no harm, and candidates that were not confirmed
  bool strict = false;        // what did no harm counts for the verdict, too
  bool failing_only = false;  // only what fails does
  DecideKind decide = DecideKind::kRaces;
  // Why there was one worker although nobody asked for that: "it binds port 8080"; empty: no
  // reason.
  std::string one_at_a_time;
  const NativeRun& native;
  const HuntResult& result;
  double seconds = 0;
  std::uint64_t earlier_executions = 0;  // of the hunts that this one goes on from
  // Failures of these that did not show again: their replay files.
  std::vector<std::string> earlier_failures;
  bool native_told = false;  // on the same terminal, before the hunt
};

Document document_of(const HuntReport& report);

// "it fails without raddle: exit status 3"; empty if there is nothing to say.
std::string native_text(const NativeRun& native);

// What the hunt went through one kind after another, as an exploration would say it; for a result
// that is covered.
ExploreReport explored(const HuntReport& report);
// All schedules were, and nothing was there that could have been in another order unseen, or at
// another time.
bool is_complete(const HuntReport& report);

// What was left out: "other schedules, other inputs".
std::string not_covered_text(const HuntReport& report);

// Sentences about how much what was covered is worth; empty if there is nothing to say.
std::vector<std::string> coverage_remarks(const HuntReport& report);

// Why one execution said nothing about others; empty if it did.
std::string no_prediction(const HuntPredicted& predicted);

// The line of a phase that has ended, or is under way.
std::string phase_text(const HuntCounts& counts);

// The two layouts; document_of() puts them into the document.
std::string hunt_text(const HuntReport& report, const TextOptions& look);
nlohmann::ordered_json hunt_json(const HuntReport& report);

// Findings that came so far, or farther.
std::size_t count_of(const HuntResult& result, FindingLevel at_least);
// What counts, besides what fails; with `strict` also what did no harm.
std::vector<const HuntFinding*> counting(const HuntReport& report);

}  // namespace raddle
