#include "host/campaign/fuzz/created_violations.hpp"

#include <algorithm>

#include "host/process/outcome.hpp"
#include "protocol/atom_marks.hpp"

namespace raddle {

CreatedViolations::Mark CreatedViolations::mark_of(const Execution& execution) {
  return {execution.realised.steps[kWarnedMark], execution.realised.steps[kViolatedMark]};
}

Result<CreatedViolations::Look> CreatedViolations::look(Worker& worker, const Execution& execution,
                                                        const RunOptions& options) const {
  Look look;
  if (!observes_) {
    const Mark mark = mark_of(execution);
    if (mark == Mark{}) return look;
    const std::lock_guard lock(mutex_);
    // Only executions with smaller seeds are in it: what they showed counts before this one.
    if (marks_.count(mark) != 0 || marks_.size() >= kMostMarks) return look;
  }
  Result<ViolationsSeen> seen = violations_in(worker, execution, options);
  if (!seen) return Error{seen.error()};
  look.looked = true;
  look.seen = std::move(*seen);
  return look;
}

std::vector<std::size_t> CreatedViolations::add(const Execution& execution, ViolationsSeen seen) {
  warned_.insert(seen.warned.begin(), seen.warned.end());
  std::vector<std::size_t> numbers;
  for (Confirmation& confirmation : seen.violations) {
    const auto [at, is_new] = places_.try_emplace(confirmation.finding.place, violations_.size());
    numbers.push_back(at->second);
    if (!is_new) continue;
    CandidateTally& violation = violations_.emplace_back();
    violation.sought = any_violation();
    violation.sought.place = confirmation.finding.place;
    violation.first_seed = execution.plan.seed;
    violation.confirmation = std::move(confirmation);
    violation.execution = without_report(execution);
  }
  if (numbers.empty() && execution.realised.count != 0 && unconfirmed_.realised == 0) {
    unconfirmed_.first_seed = execution.plan.seed;
    unconfirmed_.confirmation.why_not = seen.why_not;
  }
  return numbers;
}

void CreatedViolations::count(const Execution& execution, Look look) {
  ++executions_;
  std::vector<std::size_t> numbers;
  {
    const std::lock_guard lock(mutex_);
    const auto known = marks_.find(mark_of(execution));
    if (!observes_ && known != marks_.end()) {
      numbers = known->second;
    } else if (look.looked) {
      ++looked_;
      numbers = add(execution, std::move(look.seen));
      if (!observes_) marks_.emplace(mark_of(execution), numbers);
    }
  }
  for (const std::size_t number : numbers) {
    CandidateTally& violation = violations_[number];
    ++violation.realised;
    ++violation.seen;
    if (is_failing(execution.kind)) ++violation.failing;
  }
  if (!numbers.empty())
    ++violating_;
  else if (execution.realised.count != 0)
    ++unconfirmed_.realised;
}

AtomicityCounts CreatedViolations::counts() const {
  AtomicityCounts counts;
  counts.warnings = warned_.size();
  counts.errors = violations_.size();
  counts.bugs = static_cast<std::uint64_t>(
      std::count_if(violations_.begin(), violations_.end(),
                    [](const CandidateTally& violation) { return violation.failing > 0; }));
  counts.violating = violating_;
  return counts;
}

std::vector<CandidateTally> CreatedViolations::take() {
  if (unconfirmed_.realised != 0) {
    unconfirmed_.sought = any_violation();
    violations_.push_back(std::move(unconfirmed_));
  }
  for (CandidateTally& violation : violations_) {
    violation.executions = executions_;
    violation.looked = looked_;
  }
  return std::move(violations_);
}

}  // namespace raddle
