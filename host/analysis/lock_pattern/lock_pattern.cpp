#include "host/analysis/lock_pattern/lock_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/atom_marks.hpp"

namespace raddle {
namespace {

bool reads(const Event& acquire) { return (acquire.flags & kShared) != 0; }

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
      warned_.emplace(lock_pattern_place(state_, steps_of(taken, event)), open.block);
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
    warned_.emplace(lock_pattern_place(state_, steps_of(taken, met[2])), 0);
    report(taken, met[2], nullptr);
  }
}

LockPatternSteps LockPattern::steps_of(const Taken& taken, const Event& again) const {
  return {taken.first, taken.point, taken.other, taken.other_point, again, state_.point(again)};
}

void LockPattern::report(const Taken& taken, const Event& again, const Open* in) {
  const LockPatternSteps steps = steps_of(taken, again);
  if (findings_.count(lock_pattern_place(state_, steps))) return;
  const LockPatternBlock block =
      in != nullptr ? LockPatternBlock{in->entered, in->entered_point} : LockPatternBlock{};
  findings_.add(lock_pattern_finding(state_, steps, in != nullptr ? &block : nullptr));
}

namespace {

FindingUnit unit_of(const ExecutionState& state, const LockPatternSteps& steps,
                    const LockPatternBlock* block) {
  if (block == nullptr) return {steps.first.thread, UnitOrigin::lock_twice, {}, steps.first.step};
  const FindingStep begin =
      state.step(block->point, block->entered.object, block->entered.step, FindingRole::takes_lock);
  return state.block_unit(block->entered,
                          begin.stack.empty() ? "" : state.function(begin.stack[0]));
}

}  // namespace

std::uint64_t static_block(const ExecutionState& state, const AtomicBlock& block) {
  return mix(mix(1, state.stable(block.function)), state.stable(block.entered.site));
}

// Where the library takes all locks at one place, the lock tells them apart.
std::uint64_t lock_pattern_place(const ExecutionState& state, const LockPatternSteps& steps) {
  const Event& again = steps.again;
  std::uint64_t place = mix(mix(0x41544f4d, state.stable(steps.point)), state.stable(again.site));
  if (!state.site(again.site).frames.empty() && !state.in_library(again.site)) return place;
  for (const char c : state.name(again)) place = mix(place, static_cast<unsigned char>(c));
  return place;
}

Finding lock_pattern_finding(const ExecutionState& state, const LockPatternSteps& steps,
                             const LockPatternBlock* block) {
  Finding finding;
  finding.kind = FindingKind::atomicity;
  finding.place = lock_pattern_place(state, steps);
  const auto add = [&](const Event& event, PointId point, FindingRole role) {
    finding.steps.push_back(state.step(point, event.object, event.step, role));
  };
  add(steps.first, steps.point, FindingRole::takes_lock);
  add(steps.other, steps.other_point, FindingRole::takes_in_between);
  add(steps.again, steps.again_point, FindingRole::takes_again);
  finding.object = finding.steps[0].object;
  finding.units = {unit_of(state, steps, block),
                   {steps.other.thread, UnitOrigin::lock_region, {}, steps.other.step}};
  finding.declared = finding.units[0].origin == UnitOrigin::annotated;
  finding.what = fmt::format("{} took {} between two acquisitions of one atomic block of {}",
                             state.thread_name(steps.other.thread), finding.object,
                             state.thread_name(steps.first.thread));
  finding.why =
      "What the block learned while it held the lock for the first time may no longer be true when "
      "it holds it again.";
  return finding;
}

}  // namespace raddle
