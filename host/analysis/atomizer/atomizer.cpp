#include "host/analysis/atomizer/atomizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/shadow/extent.hpp"

namespace raddle {
namespace {

constexpr std::uint32_t kFirstAtomic = 0x8000'0000;  // plain data and atomics share no numbers

}  // namespace

Atomizer::Atomizer(ExecutionState& state, const AnalysisOptions& options)
    : state_(state),
      lockset_(state, true),
      atomics_(state, false, kFirstAtomic),
      locks_(state, lockset_.order(), lockset_.sets(), options.refine_locks) {}

Atomizer::Thread& Atomizer::thread(const Event& event) {
  const ThreadIndex index = state_.index(event.thread);
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  return threads_[index];
}

Moment Atomizer::moment(Thread& thread, const Event& event) {
  return {state_.point(event), event.object, event.step, thread.position};
}

void Atomizer::right_mover(Thread& thread, const Moment& now) {
  thread.last_right = now;
  for (; thread.violated < thread.committed; ++thread.violated)
    violate(thread.open[thread.violated], now);
}

void Atomizer::left_mover(Thread& thread, const Moment& now) {
  for (; thread.committed < thread.open.size(); ++thread.committed)
    thread.open[thread.committed].committed = now;
}

// An access that was taken for a both-mover was none.
void Atomizer::late_non_mover(Thread& thread, const Moment& then) {
  std::size_t around = 0;  // blocks that have the access in them
  while (around < thread.open.size() && thread.open[around].entered.position < then.position)
    ++around;
  std::size_t violated = thread.violated;
  for (std::size_t i = thread.violated; i < around; ++i) {
    Open& block = thread.open[i];
    if (i < thread.committed && block.committed.position < then.position) {
      violate(block, then);
      violated = i + 1;
    } else if (block.committed = then; thread.last_right.position > then.position) {
      violate(block, thread.last_right);
      violated = i + 1;
    }
  }
  thread.violated = violated;
  thread.committed = std::max(thread.committed, around);
  if (thread.last_right.position < then.position) thread.last_right = then;
}

// The cell has lost protection: who is in a block and has accessed it?
void Atomizer::turn_out(LocksetAnalysis& analysis, const LocksetAnalysis::Cell& cell,
                        const Event& event, std::uint64_t address) {
  for (ThreadIndex index : in_block_) {
    Thread& thread = threads_[index];
    const BlockAccesses::Entry* found = thread.touched.find(cell.variable);
    if (found == nullptr) continue;
    settle(thread);
    for (const BlockAccesses::Access* access : {&found->first, &found->last}) {
      if (access->position == thread.position && index == state_.index(event.thread)) continue;
      if (analysis.racy(cell, access->held, access->writes))
        late_non_mover(thread, {access->point, address, access->step, access->position});
    }
  }
}

LocksetAnalysis::Effect Atomizer::effect(const Event& event) const {
  using Effect = LocksetAnalysis::Effect;
  if (counts_by_one(event)) return Effect::kCommutes;
  if (event.kind == EventKind::atomic_load)
    return state_.counts_references(event.site) ? Effect::kCommutes : Effect::kRead;
  const bool failed = event.kind == EventKind::atomic_compare && (event.flags & kSuccess) == 0;
  return failed ? Effect::kRead : Effect::kWrite;
}

void Atomizer::access(LocksetAnalysis& analysis, const Event& event,
                      LocksetAnalysis::Effect effect) {
  const Extent extent = extent_of(event);
  if (extent.bytes == 0) return;
  Thread& self = thread(event);
  const bool in_block = !self.open.empty();
  const bool writes = effect != LocksetAnalysis::Effect::kRead;
  const HeldId held = state_.held(event.thread);
  bool racy = false, full = false;
  const BlockAccesses::Access now{in_block ? state_.point(event) : kNoPoint, held, event.step,
                                  self.position, writes};
  analysis.access(event, extent.address, extent.bytes, effect,
                  [&](LocksetAnalysis::Cell& cell, std::uint64_t address, unsigned, bool lost) {
                    if (lost) turn_out(analysis, cell, event, address);
                    if (!in_block) return;
                    if (analysis.racy(cell, held, writes))
                      racy = true;
                    else
                      full = !self.touched.add(cell.variable, now) || full;
                  });
  if (full)
    state_.note(
        fmt::format("atomizer: a block touches more than {} locations; of the others it "
                    "does not know later that they were unprotected",
                    BlockAccesses::kMost));
  if (!racy) return;
  const Moment here = moment(self, event);
  right_mover(self, here);
  left_mover(self, here);
}

// The library's own code on data of this thread alone: std::lock does that while it backs off.
bool Atomizer::minds_its_own_business(const Event& event) {
  const Extent extent = extent_of(event);
  return state_.in_library(event.site) &&
         lockset_.owned_by(state_.index(event.thread), extent.address, extent.bytes);
}

void Atomizer::on_event(const Event& event) {
  if (is_access(event.kind)) {
    using Effect = LocksetAnalysis::Effect;
    Thread& self = thread(event);
    ++self.position;
    if (!self.pending.empty() && !minds_its_own_business(event)) settle(self);
    return access(lockset_, event, writes(event.kind) ? Effect::kWrite : Effect::kRead);
  }
  if (event.kind == EventKind::decision) {
    thread(event).pending.decision(event);
    return;
  }
  for (LocksetAnalysis* analysis : {&lockset_, &atomics_}) analysis->before(event);
  operation(event);
  for (LocksetAnalysis* analysis : {&lockset_, &atomics_}) analysis->after(event);
}

void Atomizer::operation(const Event& event) {
  Thread& self = thread(event);
  ++self.position;
  switch (event.kind) {
    case EventKind::acquire:
      self.pending.acquired();
      if (state_.outermost()) acquire(self, event);
      return;
    case EventKind::release:
      if (state_.outermost()) release(self, event);
      return;
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      settle(self);
      access(atomics_, event, effect(event));
      return;
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
      lockset_.forget(event.object, event.value);
      atomics_.forget(event.object, event.value);
      locks_.forget(event.object, event.value);
      return;
    case EventKind::destroy:
      locks_.forget(event.object, 1);
      return;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::read:
    case EventKind::read_range:
    case EventKind::write:
    case EventKind::write_range:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
      return;
  }
}

void Atomizer::on_block_begin(const AtomicBlock& block) {
  Thread& self = thread(block.entered);
  if (self.open.empty()) {
    self.touched.clear();
    self.released.clear();
    self.pending.clear();
    self.last_right = {};
    in_block_.push_back(state_.index(block.thread));
  }
  Open open;
  open.number = block.number;
  // The static block: where it is entered, and in which function, since the code that locks may be
  // shared by many.
  const SiteId function = state_.innermost(state_.stack(block.thread));
  open.place = mix(mix(std::uint64_t(FindingKind::atomicity) + 1, state_.stable(function)),
                   state_.stable(block.entered.site));
  open.entered = moment(self, block.entered);
  self.open.push_back(open);
}

void Atomizer::close(const AtomicBlock& block, bool abandoned) {
  Thread& self = thread(block.entered);
  const auto found = std::find_if(self.open.rbegin(), self.open.rend(),
                                  [&](const Open& open) { return open.number == block.number; });
  if (found == self.open.rend()) return;
  const auto at = std::next(found).base();
  const auto i = static_cast<std::size_t>(at - self.open.begin());
  if (i < self.committed || reacquires(self)) settle(self);
  if (i >= self.violated && !abandoned) {
    for (const LockWindow& window : at->windows) {
      if (locks_.remember(window.released.object, {*at, window})) continue;
      state_.note(
          fmt::format("atomizer: more than {} places release a lock and acquire it again before a "
                      "second thread uses it; of the others it does not know later",
                      LockMovers::kMostWindows));
    }
  }
  self.open.erase(at);
  if (i < self.committed) --self.committed;
  if (i < self.violated) --self.violated;
  if (!self.open.empty()) return;
  std::erase(in_block_, state_.index(block.thread));
}

void Atomizer::on_block_end(const AtomicBlock& block) { close(block, false); }

void Atomizer::on_block_abandoned(const AtomicBlock& block) {
  const Thread& self = thread(block.entered);
  for (const Open& open : self.open)
    if (open.number == block.number) abandoned_.insert(open.place);
  close(block, true);
}

std::vector<Finding> Atomizer::take_findings() {
  std::vector<Finding> findings = findings_.take();
  std::erase_if(findings,
                [&](const Finding& finding) { return abandoned_.count(finding.place) != 0; });
  return findings;
}

std::unique_ptr<Detector> make_atomizer(ExecutionState& state, const AnalysisOptions& options) {
  return std::make_unique<Atomizer>(state, options);
}

}  // namespace raddle
