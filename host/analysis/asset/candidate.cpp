// What phase one says of a pattern that two units can interleave in: the report, and what phase two
// needs to bring it about.
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/asset/asset.hpp"

namespace raddle {

std::vector<std::uint64_t> AssetDetector::common_locks(HeldId a, HeldId b) const {
  std::vector<std::uint64_t> common;
  const std::vector<HeldLock> others = state_.locks(b);
  for (const HeldLock& lock : state_.locks(a)) {
    for (const HeldLock& other : others) {
      if (other.lock == lock.lock && !(other.shared && lock.shared)) common.push_back(lock.lock);
    }
  }
  return common;
}

// The vulnerable-window lockset (002, section 4.2.2), as places: where the turn passes from one
// unit to the other, the locks that both hold at the accesses on either side of it. The one must
// have released them, and the other must not have taken them yet.
void AssetDetector::add_windows(const Choice& choice, std::vector<AimSite>& aims) const {
  for (int slot = 0; slot + 1 < choice.pattern.length; ++slot) {
    const bool from = choice.pattern.accesses[std::size_t(slot)].other;
    const bool to = choice.pattern.accesses[std::size_t(slot) + 1].other;
    if (from == to) continue;
    const Access& last = *choice.chosen[slot];
    const Access& next = *choice.chosen[slot + 1];
    const std::vector<std::uint64_t> common = common_locks(last.held, next.held);
    const LockOp* release = nullptr;  // the last of the first releases
    const LockOp* acquire = nullptr;  // the first of the last acquisitions
    for (const std::uint64_t lock : common) {
      const auto& theirs = threads_[choice.units[from]->thread].locks;
      const auto freed = std::find_if(theirs.begin(), theirs.end(), [&](const LockOp& op) {
        return op.time > last.where.time && !op.acquire && op.lock == lock;
      });
      if (freed != theirs.end() && (release == nullptr || freed->time > release->time))
        release = &*freed;
      const LockOp* taken = nullptr;
      for (const LockOp& op : threads_[choice.units[to]->thread].locks) {
        if (op.time < next.where.time && op.acquire && op.lock == lock) taken = &op;
      }
      if (taken != nullptr && (acquire == nullptr || taken->time < acquire->time)) acquire = taken;
    }
    if (release != nullptr && release->code != 0) {
      aims.push_back({release->code, release->context, AimRole::kWindow,
                      static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(slot),
                      kWindowRelease});
    }
    if (acquire != nullptr && acquire->code != 0) {
      aims.push_back({acquire->code, acquire->context, AimRole::kWindow,
                      static_cast<std::uint8_t>(to), static_cast<std::uint8_t>(slot + 1),
                      kWindowAcquire});
    }
  }
}

std::vector<AimSite> AssetDetector::aims_of(const Choice& choice) const {
  std::vector<AimSite> aims;
  for (int slot = 0; slot < choice.pattern.length; ++slot) {
    const PatternAccess& wanted = choice.pattern.accesses[std::size_t(slot)];
    const Access& access = *choice.chosen[slot];
    const Event event = state_.recall(access.where.point, 0, 0);
    aims.push_back({state_.site(event.site).code, access.context, AimRole::kStep,
                    static_cast<std::uint8_t>(wanted.other), static_cast<std::uint8_t>(slot),
                    static_cast<std::uint8_t>(wanted.second)});
  }
  add_windows(choice, aims);
  return aims;
}

void AssetDetector::add(const Choice& choice) {
  if (on_choice) {
    std::vector<UnitAccess> accesses;
    accesses.reserve(std::size_t(choice.pattern.length));
    for (int slot = 0; slot < choice.pattern.length; ++slot)
      accesses.push_back(choice.chosen[slot]->where);
    on_choice(choice.pattern, accesses);
  }
  std::uint64_t key = mix(0x455353, std::uint64_t(choice.pattern.number));
  for (int slot = 0; slot < choice.pattern.length; ++slot) {
    key = mix(key, state_.stable(choice.chosen[slot]->where.point));
    key = mix(key, choice.chosen[slot]->context);
  }
  std::vector<std::uint64_t> steps;
  for (int slot = 0; slot < choice.pattern.length; ++slot)
    steps.push_back(choice.chosen[slot]->where.step);
  const auto [it, added] = keys_.try_emplace(key, candidates_.size());
  if (!added) {
    auto& choices = candidates_[it->second].choices;
    if (choices.size() < options_.max_choices) choices.push_back(std::move(steps));
    return;
  }

  AssetCandidate candidate;
  candidate.choices.push_back(std::move(steps));
  candidate.pattern = choice.pattern.number;
  candidate.key = key;
  candidate.aims = aims_of(choice);
  Finding& finding = candidate.finding;
  finding.kind = FindingKind::atomic_set;
  finding.pattern = choice.pattern.number;
  finding.why = choice.pattern.why;
  // The same place as a violation that the detector sees (atomset/report.cpp).
  finding.place = mix(std::uint64_t(FindingKind::atomic_set), std::uint64_t(choice.pattern.number));
  for (const Unit* unit : choice.units)
    finding.place = mix(finding.place, state_.stable(unit->entered.point));
  for (int slot = 0; slot < choice.pattern.length; ++slot) {
    const PatternAccess& wanted = choice.pattern.accesses[std::size_t(slot)];
    const UnitAccess& where = choice.chosen[slot]->where;
    finding.place = mix(finding.place, state_.stable(where.point));
    finding.steps.push_back(state_.step(where.point, where.object, where.step,
                                        wanted.write ? FindingRole::writes : FindingRole::reads));
    const FindingStep& step = finding.steps.back();
    finding.what +=
        fmt::format("{}{} {} {}", slot > 0 ? ", then " : "", state_.thread_name(step.event.thread),
                    finding_role_text(step.role), step.object);
  }
  finding.what += ": no lock, signal, start or end of a thread prevents this order";
  for (const Unit* unit : choice.units) {
    if (!unit->joint) continue;
    const Event entered = state_.recall(unit->entered.point, 0, 0);
    finding.what += fmt::format("; several calls of {} are taken for one unit of work",
                                state_.function(entered.site));
    break;
  }
  finding.object = finding.steps.front().object;
  candidates_.push_back(std::move(candidate));
}

}  // namespace raddle
