#include "host/cli/running/hunt_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/running/prepared_program.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {

StoredFinding stored_finding(const HuntFinding& one) {
  const char* kind = finding_kind_text(one.finding.kind);
  return {.key = fmt::format("{} | {}", kind, finding_id(one.finding)),
          .kind = kind,
          .level = finding_level_text(one.level),
          .message = one.finding.what,
          .replay = {},
          .times = std::max<std::uint64_t>(1, one.realised)};
}

StoredFinding stored_finding(const Failure& failure, std::uint64_t times) {
  return {.key = failure.group,
          .kind = outcome_text(failure.kind),
          .level = finding_level_text(FindingLevel::kFailing),
          .message = recorded(failure).message,
          .replay = {},
          .times = times};
}

StoredFinding stored_finding(const FoundMisuse& one) {
  const Where& where = one.note.what.where;
  return {.key = fmt::format("misuse | {}:{} {}", where.file, where.line, one.note.what.text),
          .kind = "misuse",
          .level = finding_level_text(FindingLevel::kConfirmed),
          .message = misuse_words(one.note.what),
          .replay = {},
          .times = one.note.count};
}

}  // namespace raddle
