#include "host/analysis/lock_pattern/lock_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/atom_marks.hpp"

namespace raddle {
namespace {

bool reads(const Event& acquire) { return (acquire.flags & kShared) != 0; }

std::uint64_t static_block(const ExecutionState& state, const AtomicBlock& block) {
  return mix(mix(1, state.stable(block.function)), state.stable(block.entered.site));
}

}  // namespace

LockPattern::LockPattern(ExecutionState& state, const Realised& named) : state_(state) {
  for (std::uint32_t at = 0; at + kStepsOfViolation <= std::min(named.used, kWarnedMark);
       at += kStepsOfViolation)
    named_.push_back({{named.steps[at], named.steps[at + 1], named.steps[at + 2]}, {}, {}});
}

void LockPattern::on_block_begin(const AtomicBlock& block) {
  Open& open = open_[state_.index(block.thread)];
  if (open.depth++ > 0) return;
  open.entered = block.entered;
  open.entered_point = state_.point(block.entered);
  open.block = static_block(state_, block);
}

void LockPattern::on_block_end(const AtomicBlock& block) {
  Open& open = open_[state_.index(block.thread)];
  if (open.depth == 0) return;
  --open.depth;
  if (open.depth == 0) open.locks.clear();
}

void LockPattern::on_block_abandoned(const AtomicBlock& block) {
  abandoned_.insert(static_block(state_, block));
  on_block_end(block);
}

std::vector<std::uint64_t> LockPattern::warned() const {
  std::vector<std::uint64_t> places;
  for (const auto& [place, block] : warned_)
    if (abandoned_.count(block) == 0) places.push_back(place);
  return places;
}

std::vector<Finding> LockPattern::take_findings() {
  std::vector<Finding> findings = findings_.take();
  std::erase_if(findings, [&](const Finding& finding) {
    return abandoned_.count(warned_.at(finding.place)) != 0;
  });
  return findings;
}

void LockPattern::on_event(const Event& event) {
  if (event.kind != EventKind::acquire || !state_.outermost()) return;
  const ThreadIndex self = state_.index(event.thread);
  for (auto& [thread, open] : open_) {
    const auto found = open.locks.find(event.object);
    if (found == open.locks.end()) continue;
    Taken& taken = found->second;
    if (thread != self) {
      // A reader matters between two writers only, and then a writer does, too.
      if (reads(event) && (reads(taken.first) || (taken.between && !reads(taken.other)))) continue;
      taken.between = true;
      taken.other = event;
      taken.other_point = state_.point(event);
    } else {
      warned_.emplace(place_of(taken, event), open.block);
      if (taken.between && !(reads(taken.other) && reads(event))) report(taken, event, &open);
    }
  }
  // The lock whose region is the block was taken before it began.
  Open& own = open_[self];
  if (own.depth > 0) own.locks[event.object] = {event, state_.point(event), false, {}, {}};
  check_named(event);
}

void LockPattern::check_named(const Event& acquire) {
  for (Named& named : named_) {
    std::vector<Event>& met = named.met;
    if (met.size() >= 3 || acquire.step != named.steps[met.size()]) continue;
    met.push_back(acquire);
    named.points.push_back(state_.point(acquire));
    if (met.size() < 3) continue;
    const bool pattern = met[0].object == met[1].object && met[1].object == met[2].object &&
                         met[0].thread == met[2].thread && met[0].thread != met[1].thread &&
                         (!reads(met[1]) || (!reads(met[0]) && !reads(met[2])));
    if (!pattern) continue;
    const Taken taken{met[0], named.points[0], true, met[1], named.points[1]};
    warned_.emplace(place_of(taken, met[2]), 0);
    report(taken, met[2], nullptr);
  }
}

// Where the library takes all locks at one place, the lock tells them apart.
std::uint64_t LockPattern::place_of(const Taken& taken, const Event& again) const {
  std::uint64_t place = mix(mix(0x41544f4d, state_.stable(taken.point)), state_.stable(again.site));
  if (!state_.site(again.site).frames.empty() && !state_.in_library(again.site)) return place;
  for (const char c : state_.name(again)) place = mix(place, static_cast<unsigned char>(c));
  return place;
}

FindingUnit LockPattern::block(const Taken& taken, const Open* in) const {
  if (in == nullptr) return {taken.first.thread, UnitOrigin::lock_twice, {}, taken.first.step};
  const FindingStep begin =
      state_.step(in->entered_point, in->entered.object, in->entered.step, FindingRole::takes_lock);
  return state_.block_unit(in->entered, begin.stack.empty() ? "" : state_.function(begin.stack[0]));
}

void LockPattern::report(const Taken& taken, const Event& again, const Open* in) {
  Finding finding;
  finding.kind = FindingKind::atomicity;
  finding.place = place_of(taken, again);
  if (findings_.count(finding.place)) return;
  finding.steps.push_back(
      state_.step(taken.point, taken.first.object, taken.first.step, FindingRole::takes_lock));
  finding.steps.push_back(state_.step(taken.other_point, taken.other.object, taken.other.step,
                                      FindingRole::takes_in_between));
  finding.steps.push_back(state_.step(again, FindingRole::takes_again));
  finding.object = finding.steps[0].object;
  finding.units = {block(taken, in),
                   {taken.other.thread, UnitOrigin::lock_region, {}, taken.other.step}};
  finding.declared = finding.units[0].origin == UnitOrigin::annotated;
  finding.what = fmt::format("{} took {} between two acquisitions of one atomic block of {}",
                             state_.thread_name(taken.other.thread), finding.object,
                             state_.thread_name(taken.first.thread));
  finding.why =
      "What the block learned while it held the lock for the first time may no longer be true when "
      "it holds it again.";
  findings_.add(std::move(finding));
}

}  // namespace raddle
