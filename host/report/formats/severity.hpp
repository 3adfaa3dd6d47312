// How bad a finding is, in the three words that compilers and SARIF have for it. Used by formats.
#pragma once

#include <cstdint>

#include "host/report/document/document.hpp"

namespace raddle {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

// An error really happened and is wrong; a warning raises the exit status all the same, since the
// user asked what could happen; a note does not.
inline Severity severity_of(const DocumentFinding& finding) {
  if (!finding.counts) return Severity::kNote;
  return finding.level >= FindingLevel::kHarmful ? Severity::kError : Severity::kWarning;
}

inline const char* severity_text(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "note";
}

}  // namespace raddle
