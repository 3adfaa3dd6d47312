#include "host/cli/running/finding_filter.hpp"

#include <fmt/format.h>

#include "host/base/atomic_file.hpp"
#include "host/cli/running/prepared_program.hpp"

namespace raddle {

Analysis shown_analysis(const FindingOptions& options, const Pipeline& pipeline) {
  return {.options = options.analysis,
          .pipeline = pipeline,
          .suppressions = options.suppressions,
          .baseline = options.baseline,
          .all = options.all,
          .strict = options.strict};
}

Result<FindingFilter> FindingFilter::open(const FindingOptions& options) {
  FindingFilter sieve;
  if (!options.suppressions.empty()) {
    Result<Suppressions> suppressions = Suppressions::read(options.suppressions);
    if (!suppressions) return Error{suppressions.error()};
    sieve.suppressions_ = std::move(*suppressions);
  }
  if (!options.baseline.empty()) {
    Result<Baseline> baseline = Baseline::read(options.baseline);
    if (!baseline) return Error{baseline.error()};
    sieve.baseline_ = std::move(*baseline);
  }
  if (!options.write_baseline.empty()) {
    if (const Result<bool> writable = check_can_create(options.write_baseline); !writable) {
      return Error{fmt::format("cannot write {}: {}; choose another file with --write-baseline",
                               options.write_baseline, writable.error())};
    }
    sieve.save_to_ = options.write_baseline;
  }
  return sieve;
}

FilteredFindings FindingFilter::sift(const Pipeline& pipeline) {
  FilteredFindings sifted;
  for (const Finding& finding : pipeline.findings()) {
    if (suppressions_ && suppressions_->cover(finding, pipeline.state())) {
      ++sifted.suppressed;
    } else if (baseline_.knows(finding)) {
      ++sifted.known;
    } else {
      sifted.findings.push_back(&finding);
    }
  }
  if (suppressions_) sifted.unused = suppressions_->unused();
  return sifted;
}

Result<std::monostate> FindingFilter::save(const FilteredFindings& sifted) {
  if (save_to_.empty()) return std::monostate{};
  for (const Finding* finding : sifted.findings) baseline_.add(*finding);
  return write_file_atomically(save_to_, baseline_.text());
}

}  // namespace raddle
