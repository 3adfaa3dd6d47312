#include "host/cli/running/finding_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "host/base/atomic_file.hpp"
#include "host/cli/running/prepared_program.hpp"

namespace raddle {

std::size_t detector_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

Analysis shown_analysis(const FindingOptions& options, const Pipeline& pipeline) {
  return {.options = options.analysis,
          .pipeline = pipeline,
          .suppressions = options.suppressions,
          .baseline = options.baseline,
          .all = options.all,
          .strict = options.strict,
          .strict_events = options.strict_events};
}

Result<FindingFilter> FindingFilter::open(const FindingOptions& options) {
  FindingFilter filter;
  filter.all_ = options.all;
  if (!options.suppressions.empty()) {
    Result<Suppressions> suppressions = Suppressions::read(options.suppressions);
    if (!suppressions) return Error{suppressions.error()};
    filter.suppressions_ = std::move(*suppressions);
  }
  if (!options.baseline.empty()) {
    Result<Baseline> baseline = Baseline::read(options.baseline);
    if (!baseline) return Error{baseline.error()};
    filter.baseline_ = std::move(*baseline);
  }
  if (!options.write_baseline.empty()) {
    if (const Result<bool> writable = check_can_write(options.write_baseline); !writable) {
      return Error{fmt::format("cannot write {}: {}; choose another file with --write-baseline",
                               options.write_baseline, writable.error())};
    }
    filter.save_to_ = options.write_baseline;
  }
  return filter;
}

FilteredFindings FindingFilter::apply(const Pipeline& pipeline) {
  FilteredFindings filtered;
  for (const Finding& finding : pipeline.findings()) {
    if (finding.minor && !all_) {
      ++filtered.minor;
    } else if (suppressions_ && suppressions_->cover(finding, pipeline.state())) {
      ++filtered.suppressed;
    } else if (baseline_.knows(finding)) {
      ++filtered.known;
    } else {
      filtered.findings.push_back(&finding);
    }
  }
  if (suppressions_) filtered.unused = suppressions_->unused();
  return filtered;
}

bool FindingFilter::wants(const Finding& finding, const ExecutionState& state) {
  const std::lock_guard lock(*mutex_);
  return !suppressions_ || !suppressions_->cover(finding, state);
}

Result<std::monostate> FindingFilter::save(const FilteredFindings& filtered) {
  if (save_to_.empty()) return std::monostate{};
  for (const Finding* finding : filtered.findings) baseline_.add(*finding);
  return write_file_atomically(save_to_, baseline_.text());
}

}  // namespace raddle
