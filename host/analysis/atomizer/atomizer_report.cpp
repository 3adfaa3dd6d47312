// The Atomizer's findings in words: entered, committed, violated.
#include <fmt/format.h>

#include "host/analysis/atomizer/atomizer.hpp"
#include "host/analysis/shadow/extent.hpp"

namespace raddle {
namespace {

FindingRole commits_at(EventKind kind) {
  if (kind == EventKind::acquire) return FindingRole::commits_at_acquire;
  if (kind == EventKind::release) return FindingRole::commits_at_release;
  if (is_atomic(kind)) return FindingRole::commits_at_atomic;
  return writes(kind) ? FindingRole::commits_at_write : FindingRole::commits_at_read;
}

FindingRole violates_at(EventKind kind) {
  if (kind == EventKind::acquire) return FindingRole::violates_at_acquire;
  if (kind == EventKind::release) return FindingRole::violates_at_release;
  if (is_atomic(kind)) return FindingRole::violates_at_atomic;
  return writes(kind) ? FindingRole::violates_at_write : FindingRole::violates_at_read;
}

std::string told(const Event& event, const std::string& object) {
  const std::string by_wait = (event.flags & kByWait) != 0 ? " by a wait" : "";
  if (event.kind == EventKind::acquire) return fmt::format("acquires {}{}", object, by_wait);
  if (event.kind == EventKind::release) return fmt::format("releases {}{}", object, by_wait);
  const bool reads = event.kind == EventKind::read || event.kind == EventKind::read_range ||
                     event.kind == EventKind::atomic_load;
  return fmt::format("{} {} unprotected", reads ? "reads" : "writes", object);
}

}  // namespace

std::string Atomizer::block_name(const Event& entered, const FindingStep& step) const {
  const Site& site = state_.site(entered.site);
  const std::string function = state_.function(step.stack.empty() ? entered.site : step.stack[0]);
  const std::string where = function.empty() ? "the program" : function;
  if (entered.kind == EventKind::acquire)
    return fmt::format("the region of {} that holds {}", where, step.object);
  if (entered.kind == EventKind::enter) return function.empty() ? "a function" : function;
  if (!site.field.empty()) return fmt::format("block \"{}\" of {}", site.field, where);
  return fmt::format("an atomic block of {}", where);
}

void Atomizer::violate(const ReducedBlock& block, const Moment& now) {
  if (all_violations != nullptr)
    all_violations->push_back({block.number, block.committed.step, now.step});
  if (findings_.count(block.place)) return;
  const Event entered =
      state_.recall(block.entered.point, block.entered.object, block.entered.step);
  const Event committed =
      state_.recall(block.committed.point, block.committed.object, block.committed.step);
  const Event violated = state_.recall(now.point, now.object, now.step);

  Finding finding;
  finding.kind = FindingKind::atomicity;
  finding.place = block.place;
  finding.steps.push_back(state_.step(block.entered.point, entered.object, entered.step,
                                      FindingRole::enters_atomic_block));
  finding.steps.push_back(state_.step(block.committed.point, committed.object, committed.step,
                                      commits_at(committed.kind)));
  finding.steps.push_back(
      state_.step(now.point, violated.object, violated.step, violates_at(violated.kind)));
  finding.object = block_name(entered, finding.steps[0]);
  const std::vector<SiteId>& stack = finding.steps[0].stack;
  finding.units = {state_.block_unit(entered, stack.empty() ? "" : state_.function(stack[0]))};
  finding.declared = finding.units[0].origin == UnitOrigin::annotated;
  finding.what = fmt::format(
      "{} is not atomic: {} {}, and then {}", finding.object, state_.thread_name(entered.thread),
      told(committed, finding.steps[1].object), told(violated, finding.steps[2].object));
  finding.why =
      "Between the two, other threads can change what the block has seen: there may be no order in "
      "which the block runs undisturbed and the result is the same.";
  findings_.add(std::move(finding));
}

}  // namespace raddle
