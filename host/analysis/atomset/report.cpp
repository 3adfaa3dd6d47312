// The report of an atomic-set serializability violation.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/analysis/atomset/atomset.hpp"

namespace raddle {
namespace {

bool begins_unit(const Event& event) {
  return event.kind == EventKind::enter || event.kind == EventKind::unit_enter ||
         event.kind == EventKind::block_enter;
}

}  // namespace

// "Account::transfer of T1"; "T1" for an access that is a unit by itself.
std::string AtomicSetDetector::unit_name(const UnitAccess& entered) const {
  const Event event = state_.recall(entered.point, entered.object, entered.step);
  std::string thread = state_.thread_name(event.thread);
  if (!begins_unit(event)) return thread;
  std::string name =
      event.kind == EventKind::enter ? state_.function(event.site) : state_.site(event.site).field;
  if (name.empty()) name = "a unit";
  return fmt::format("{} of {}", name, thread);
}

FindingUnit AtomicSetDetector::unit_of(const UnitAccess& entered) const {
  const Event event = state_.recall(entered.point, entered.object, entered.step);
  FindingUnit unit{event.thread, entered.origin, {}, entered.step};
  if (event.kind == EventKind::enter) {
    unit.name = state_.function(event.site);
  } else if (begins_unit(event)) {
    unit.name = state_.site(event.site).field;
  } else if (entered.origin == UnitOrigin::lock_region) {
    const FindingStep step =
        state_.step(entered.point, entered.object, entered.step, FindingRole::is_at);
    if (!step.stack.empty()) unit.name = state_.function(step.stack[0]);
  }
  return unit;
}

std::string AtomicSetDetector::set_name(const AtomicSetMatch& match) const {
  std::string name = locations_.set_name(match.set);
  const std::uint64_t base = locations_.set_base(match.set);
  if (!name.empty() || base == 0) return name;
  Event whole{};  // of all of it, not of its first field
  whole.kind = EventKind::enter;
  whole.object = base;
  return state_.name(whole);
}

void AtomicSetDetector::report(const AtomicSetMatch& match) {
  if (on_match_) on_match_(match, set_name(match));
  const Pattern& pattern = patterns()[static_cast<std::size_t>(match.pattern - 1)];
  // By who did what in the pattern's order: when the units began relative to each other is chance.
  std::uint64_t place = mix(std::uint64_t(FindingKind::atomic_set), std::uint64_t(match.pattern));
  for (const UnitAccess& entered : {match.unit, match.other})
    place = mix(place, state_.stable(entered.point));
  for (const UnitAccess& access : match.accesses) place = mix(place, state_.stable(access.point));
  if (findings_.count(place)) return;
  if (places_ >= options_.max_findings) {
    ++not_kept_;
    return;
  }
  ++places_;

  struct Part {
    UnitAccess access;
    FindingRole role;
  };
  std::vector<Part> parts;
  for (const UnitAccess& entered : {match.unit, match.other})
    if (begins_unit(state_.recall(entered.point, 0, 0)))
      parts.push_back({entered, FindingRole::enters_unit});
  const bool complete = match.accesses.size() == static_cast<std::size_t>(pattern.length);
  for (std::size_t i = 0; i < match.accesses.size(); ++i) {
    const bool writes = complete && pattern.accesses[i].write;
    parts.push_back({match.accesses[i], !complete ? FindingRole::accesses
                                        : writes  ? FindingRole::writes
                                                  : FindingRole::reads});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.access.time < b.access.time; });

  Finding finding;
  finding.kind = FindingKind::atomic_set;
  finding.pattern = match.pattern;
  finding.place = place;
  finding.object = set_name(match);
  finding.why = pattern.why;
  for (const UnitAccess& entered : {match.unit, match.other})
    finding.units.push_back(unit_of(entered));
  // Of an annotated set its object's functions are units by definition (004, section 4.1).
  finding.declared =
      match.unit.origin == UnitOrigin::annotated ||
      (locations_.annotated(match.set) && match.unit.origin != UnitOrigin::joint_calls &&
       match.other.origin != UnitOrigin::joint_calls);
  for (const Part& part : parts)
    finding.steps.push_back(
        state_.step(part.access.point, part.access.object, part.access.step, part.role));
  // "f of T1 reads x, then g of T2 writes x and y, then f of T1 reads y"
  const std::string names[2] = {unit_name(match.unit), unit_name(match.other)};
  for (std::size_t i = 0; complete && i < match.accesses.size(); ++i) {
    const PatternAccess& now = pattern.accesses[i];
    const UnitAccess& access = match.accesses[i];
    const std::string object = state_.name(state_.recall(access.point, access.object, access.step));
    if (i > 0 && pattern.accesses[i - 1].other == now.other) {
      finding.what += fmt::format(" and {}", object);
      continue;
    }
    finding.what += fmt::format("{}{} {} {}", i > 0 ? ", then " : "", names[now.other ? 1 : 0],
                                now.write ? "writes" : "reads", object);
  }
  if (!complete)
    finding.what = fmt::format("{} and {} interleave on {}", names[0], names[1], finding.object);
  findings_.add(std::move(finding));
}

}  // namespace raddle
