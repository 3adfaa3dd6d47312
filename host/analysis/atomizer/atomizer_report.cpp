// The Atomizer's findings in words: entered, committed, violated.
#include <fmt/format.h>

#include "host/analysis/atomizer/atomizer.hpp"
#include "host/analysis/shadow/extent.hpp"

namespace raddle {
namespace {

FindingRole commits_at(EventKind kind) {
  if (kind == EventKind::acquire) return FindingRole::commits_at_acquire;
  if (kind == EventKind::release) return FindingRole::commits_at_release;
  if (kind == EventKind::fork) return FindingRole::commits_at_fork;
  if (kind == EventKind::signal) return FindingRole::commits_at_post;
  if (is_atomic(kind)) return FindingRole::commits_at_atomic;
  return writes(kind) ? FindingRole::commits_at_write : FindingRole::commits_at_read;
}

FindingRole violates_at(EventKind kind) {
  if (kind == EventKind::acquire) return FindingRole::violates_at_acquire;
  if (kind == EventKind::release) return FindingRole::violates_at_release;
  if (kind == EventKind::join) return FindingRole::violates_at_join;
  if (kind == EventKind::await) return FindingRole::violates_at_wait;
  if (is_atomic(kind)) return FindingRole::violates_at_atomic;
  return writes(kind) ? FindingRole::violates_at_write : FindingRole::violates_at_read;
}

std::string told(const Event& event, const std::string& object) {
  if (event.kind == EventKind::fork) return "creates a thread";
  if (event.kind == EventKind::join) return "joins a thread";
  if (event.kind == EventKind::signal) return fmt::format("posts {}", object);
  if (event.kind == EventKind::await) return fmt::format("waits for {}", object);
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

void Atomizer::violate(ReducedBlock& block, Reading reading, const Moment& now,
                       std::uint64_t times) {
  const bool plain = reading == Reading::kPlain;
  if (plain && block.declared) return;  // fork and join count there
  const bool minor = !plain && !block.declared;
  if (minor && block.violated) return;
  if (plain) block.violated = true;
  const Moment& commits = block.committed[static_cast<std::size_t>(reading)];
  if (all_violations != nullptr && !minor)
    all_violations->push_back({block.number, block.place, commits.step, now.step});
  const std::uint64_t place = minor ? mix(block.place, kMinor) : block.place;
  if (findings_.count(place, times)) return;
  const Event entered =
      state_.recall(block.entered.point, block.entered.object, block.entered.step);
  const Event committed = state_.recall(commits.point, commits.object, commits.step);
  const Event violated = state_.recall(now.point, now.object, now.step);

  Finding finding;
  finding.kind = FindingKind::atomicity;
  finding.place = place;
  finding.minor = minor;
  finding.count = times;
  finding.steps.push_back(state_.step(block.entered.point, entered.object, entered.step,
                                      FindingRole::enters_atomic_block));
  finding.steps.push_back(
      state_.step(commits.point, committed.object, committed.step, commits_at(committed.kind)));
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
