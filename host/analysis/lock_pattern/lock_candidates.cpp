#include "host/analysis/lock_pattern/lock_candidates.hpp"

namespace raddle {
namespace {

bool reads(const Event& acquire) { return (acquire.flags & kShared) != 0; }

}  // namespace

void LockCandidates::on_block_begin(const AtomicBlock& block) {
  Open& open = open_[state_.index(block.thread)];
  if (open.depth++ > 0) return;
  open.entered = {block.entered, state_.point(block.entered)};
  open.block = static_block(state_, block);
}

void LockCandidates::on_block_abandoned(const AtomicBlock& block) {
  abandoned_.insert(static_block(state_, block));
  on_block_end(block);
}

void LockCandidates::on_block_end(const AtomicBlock& block) {
  Open& open = open_[state_.index(block.thread)];
  if (open.depth == 0) return;
  --open.depth;
  if (open.depth == 0) open.locks.clear();
}

void LockCandidates::on_event(const Event& event) {
  if (event.kind != EventKind::acquire || !state_.outermost()) return;
  const Acquisition now{event, state_.point(event)};
  std::vector<Acquisition>& all = all_[event.object];
  if (all.size() < kMostAcquisitions) all.push_back(now);
  Open& own = open_[state_.index(event.thread)];
  if (own.depth == 0) return;
  const auto [it, first] = own.locks.try_emplace(event.object, now);
  if (first) return;
  std::vector<Twice>& twice = twice_[event.object];
  if (twice.size() < kMostAcquisitions) twice.push_back({it->second, now, own.entered, own.block});
  it->second = now;
}

void LockCandidates::add(const Twice& twice, const Acquisition& other) {
  // Of readers: one between two writers matters, and a writer does.
  if (reads(other.event) && (reads(twice.first.event) || reads(twice.again.event))) return;
  const LockPatternSteps steps{twice.first.event, twice.first.point, other.event,
                               other.point,       twice.again.event, twice.again.point};
  const std::uint64_t place = lock_pattern_place(state_, steps);
  const std::vector<std::uint64_t> choice = {twice.first.event.step, other.event.step,
                                             twice.again.event.step};
  const auto [it, added] = index_.try_emplace(place, candidates_.size());
  if (added) candidates_.push_back({lock_pattern_finding(state_, steps, &twice.entered), {}});
  auto& choices = candidates_[it->second].choices;
  if (choices.size() < max_choices_) choices.push_back(choice);
}

void LockCandidates::finish() {
  for (const auto& [lock, all_twice] : twice_) {
    for (const Twice& twice : all_twice) {
      if (abandoned_.contains(twice.block)) continue;
      for (const Acquisition& other : all_[lock]) {
        if (other.event.thread != twice.first.event.thread) add(twice, other);
      }
    }
  }
}

}  // namespace raddle
