// What check and analyze say of the detectors' findings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/cli/options/options.hpp"
#include "host/cli/running/finding_filter.hpp"
#include "host/report/text.hpp"

namespace raddle {

// What to type next, and what it does.
struct NextCommand {
  std::string command;
  std::string what;
};

// What was looked at, and how.
struct Analysis {
  const FindingOptions& options;
  const Pipeline& pipeline;  // has ended
  bool instrumented = true;  // memory accesses are in it
  bool failed = false;       // the execution itself failed: that was said before
  std::string covered;       // "this one execution, with seed 1"
  std::vector<NextCommand> next;
};

// Detectors that were asked for and can say something; those that cannot, for want of memory
// accesses.
std::vector<std::string> working_detectors(const AnalysisOptions& options, bool instrumented);
std::vector<std::string> silent_detectors(const AnalysisOptions& options, bool instrumented);

// For a program or trace without memory accesses, which detectors are left; empty if there is
// nothing to say.
std::string instrumentation_note(const std::string& program, const AnalysisOptions& options,
                                 bool instrumented);

// Findings, worst first, then what they do and do not mean. Ends with '\n'.
std::string analysis_text(const Analysis& analysis, const FilteredFindings& sifted,
                          const TextOptions& look);

// The members that check and analyze have in common.
nlohmann::ordered_json analysis_json(const Analysis& analysis, const FilteredFindings& sifted);

// Where the events did not fit together: one line each, as errors with --strict and else as
// warnings.
std::string problems_text(const Analysis& analysis);

}  // namespace raddle
