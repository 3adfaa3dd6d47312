// Which findings the user wants to see: suppressions and the baseline. What check and analyze do
// with the files that they were given.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "host/analysis/filter/baseline.hpp"
#include "host/analysis/filter/suppressions.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/base/result.hpp"
#include "host/cli/options/analysis_options.hpp"
#include "host/report/results/analysis_report.hpp"

namespace raddle {

// Among how many threads the detectors are shared out on this machine.
std::size_t detector_threads();

// What the report has to know of the options; the pipeline has ended when it is shown.
Analysis shown_analysis(const FindingOptions& options, const Pipeline& pipeline);

class FindingFilter {
 public:
  // Reads the files, and tries whether the new baseline can be written: before anything runs.
  static Result<FindingFilter> open(const FindingOptions& options);

  // The pipeline has ended, and outlives what is returned.
  FilteredFindings apply(const Pipeline& pipeline);

  // Whether it is not suppressed; for a hunt, on any thread.
  bool wants(const Finding& finding, const ExecutionState& state);

  // Whether --baseline has it.
  bool knows(const Finding& finding) const { return baseline_.knows(finding); }

  // What is shown besides what apply() let through belongs into the new baseline, too.
  void add(const Finding& finding) { baseline_.add(finding); }

  // Writes --write-baseline, if given: what apply() let through, and what --baseline knew.
  Result<std::monostate> save(const FilteredFindings& filtered);

 private:
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  bool all_ = false;  // minor ones, too
  std::optional<Suppressions> suppressions_;
  Baseline baseline_;
  std::string save_to_;
};

}  // namespace raddle
