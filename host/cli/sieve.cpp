#include "host/cli/sieve.hpp"

#include <fmt/format.h>

#include "host/base/atomic_file.hpp"
#include "host/cli/session.hpp"

namespace raddle {

Result<Sieve> Sieve::open(const FindingOptions& options) {
  Sieve sieve;
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

Sifted Sieve::sift(const Pipeline& pipeline) {
  Sifted sifted;
  for (const Finding& finding : pipeline.findings()) {
    if (suppressions_ && suppressions_->cover(finding, pipeline.world())) {
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

Result<std::monostate> Sieve::save(const Sifted& sifted) {
  if (save_to_.empty()) return std::monostate{};
  for (const Finding* finding : sifted.findings) baseline_.add(*finding);
  return write_file_atomically(save_to_, baseline_.text());
}

}  // namespace raddle
