// What check and analyze say of the detectors' findings.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/report/document/document.hpp"
#include "host/report/text.hpp"

namespace raddle {

// What to type next, and what it does.
struct NextCommand {
  std::string command;
  std::string what;
};

// The findings that the user wants to see.
struct FilteredFindings {
  std::vector<const Finding*> findings;  // worst first
  std::size_t suppressed = 0;
  std::size_t known = 0;            // in the baseline
  std::size_t minor = 0;            // Finding::minor, not asked for
  std::vector<std::string> unused;  // entries of the suppression file that matched nothing
};

// What was looked at, and how.
struct Analysis {
  const AnalysisOptions& options;
  const Pipeline& pipeline;  // has ended
  std::string suppressions;  // the files; empty if there are none
  std::string baseline;
  bool all = false;            // show all findings, not only the worst
  bool strict = false;         // what rests on an inference counts for the verdict
  bool strict_events = false;  // events that do not fit together are an error
  bool instrumented = true;    // memory accesses are in it
  bool failed = false;         // the execution itself failed: that was said before
  std::string covered;         // "this one execution, with seed 1"
  std::vector<NextCommand> next;
};

// Of findings about atomic sets, how many have which of the 14 patterns.
std::map<int, std::size_t> pattern_counts(const FilteredFindings& filtered);

// Detectors that were asked for and can say something; those that cannot, for want of memory
// accesses.
std::vector<std::string> working_detectors(const AnalysisOptions& options, bool instrumented);
std::vector<std::string> silent_detectors(const AnalysisOptions& options, bool instrumented);

// For a program or trace without memory accesses, which detectors are left; empty if there is
// nothing to say.
std::string instrumentation_note(const std::string& program, const AnalysisOptions& options,
                                 bool instrumented);

// Findings, worst first, then what they do and do not mean. Ends with '\n'.
std::string analysis_text(const Analysis& analysis, const FilteredFindings& filtered,
                          const TextOptions& look);

// The members that check and analyze have in common.
nlohmann::ordered_json analysis_json(const Analysis& analysis, const FilteredFindings& filtered);

// Adds what was found, counted and covered.
void add_analysis(Document& document, const Analysis& analysis, const FilteredFindings& filtered);

// Where the events did not fit together: one line each, as errors with --strict-events and else as
// warnings.
std::string problems_text(const Analysis& analysis);

}  // namespace raddle
