#include "campaign/keep_confirmed.hpp"

#include <fmt/format.h>

#include <charconv>

#include "campaign/confirm.hpp"

namespace raddle {
namespace {

constexpr std::string_view kPrefix = "confirmed | ";

}  // namespace

EventSink* KeepConfirmed::listen() {
  pipeline_ = confirming_pipeline(candidate_, Execution{});
  pipeline_->begin({});
  return pipeline_.get();
}

bool KeepConfirmed::has(const Execution& execution) {
  if (execution.kind == OutcomeKind::kDiverged || !pipeline_) return false;
  pipeline_->end({});
  return confirmed_in(*pipeline_, candidate_) != nullptr;
}

std::string confirmed_group(const Candidate& candidate, const Finding& finding) {
  if (candidate.kind != FindingKind::race && candidate.kind != FindingKind::atomic_set) return {};
  return fmt::format("{}{} | {:016x}", kPrefix, finding_kind_text(candidate.kind), finding.place);
}

bool parse_confirmed_group(const std::string& group, Candidate* candidate) {
  for (const FindingKind kind : {FindingKind::race, FindingKind::atomic_set}) {
    const std::string prefix = fmt::format("{}{} | ", kPrefix, finding_kind_text(kind));
    if (!group.starts_with(prefix)) continue;
    const char* end = group.data() + group.size();
    std::uint64_t place = 0;
    const auto [rest, error] = std::from_chars(group.data() + prefix.size(), end, place, 16);
    if (error != std::errc() || rest != end) return false;
    candidate->kind = kind;
    candidate->finding.kind = kind;
    candidate->finding.place = place;
    return true;
  }
  return false;
}

}  // namespace raddle
