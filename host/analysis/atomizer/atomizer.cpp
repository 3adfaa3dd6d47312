#include "host/analysis/atomizer/atomizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/shadow/extent.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {
namespace {

constexpr std::uint32_t kFirstAtomic = 0x8000'0000;  // plain data and atomics share no numbers

}  // namespace

Atomizer::Atomizer(ExecutionState& state, const AnalysisOptions& options)
    : state_(state),
      lockset_(state, true),
      atomics_(state, false, kFirstAtomic),
      locks_(state, lockset_.order(), lockset_.sets(), options.refine_locks) {}

Moment Atomizer::moment(Thread& thread, const Event& event) {
  return {state_.point(event), event.object, event.step, thread.position};
}

void Atomizer::right_mover(Thread& thread, Reading reading, const Moment& now) {
  Progress& progress = thread.progress[static_cast<std::size_t>(reading)];
  progress.last_right = now;
  for (; progress.violated < progress.committed; ++progress.violated)
    violate(thread.open[progress.violated], reading, now);
}

void Atomizer::left_mover(Thread& thread, Reading reading, const Moment& now) {
  Progress& progress = thread.progress[static_cast<std::size_t>(reading)];
  for (; progress.committed < thread.open.size(); ++progress.committed)
    thread.open[progress.committed].committed[static_cast<std::size_t>(reading)] = now;
}

void Atomizer::right_mover(Thread& thread, const Moment& now) {
  right_mover(thread, Reading::kPlain, now);
  right_mover(thread, Reading::kWithThreads, now);
}

void Atomizer::left_mover(Thread& thread, const Moment& now) {
  left_mover(thread, Reading::kPlain, now);
  left_mover(thread, Reading::kWithThreads, now);
}

// Something that was taken for a both-mover was a right-mover.
void Atomizer::late_right_mover(Thread& thread, const Moment& then) {
  for (std::size_t reading = 0; reading < kReadings; ++reading) {
    Progress& progress = thread.progress[reading];
    while (progress.violated < progress.committed &&
           thread.open[progress.violated].committed[reading].position < then.position)
      violate(thread.open[progress.violated++], static_cast<Reading>(reading), then);
    if (progress.last_right.position < then.position) progress.last_right = then;
  }
}

// ... a left-mover: blocks that have it in them commit there at the latest.
void Atomizer::late_left_mover(Thread& thread, const Moment& then) {
  std::size_t around = 0;
  while (around < thread.open.size() && thread.open[around].entered.position < then.position)
    ++around;
  for (std::size_t reading = 0; reading < kReadings; ++reading) {
    Progress& progress = thread.progress[reading];
    for (std::size_t i = progress.violated; i < around; ++i) {
      Moment& committed = thread.open[i].committed[reading];
      if (i >= progress.committed || committed.position > then.position) committed = then;
      if (progress.last_right.position <= committed.position) continue;
      violate(thread.open[i], static_cast<Reading>(reading), progress.last_right);
      progress.violated = i + 1;
    }
    progress.committed = std::max(progress.committed, around);
  }
}

// ... was none at all.
void Atomizer::late_non_mover(Thread& thread, const Moment& then) {
  late_right_mover(thread, then);
  late_left_mover(thread, then);
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
    case EventKind::fork:
      settle(self);
      left_mover(self, Reading::kWithThreads, moment(self, event));
      return;
    case EventKind::join:
      settle(self);
      right_mover(self, Reading::kWithThreads, moment(self, event));
      return;
    case EventKind::signal:
      settle(self);
      if ((event.flags & kSemaphore) != 0) left_mover(self, moment(self, event));
      return;
    case EventKind::await:
      settle(self);
      if ((event.flags & kSemaphore) != 0) right_mover(self, moment(self, event));
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
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
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

// The static block: where it is entered, and in which function, since the code that locks may be
// shared by many.
std::uint64_t Atomizer::place_of(const AtomicBlock& block) const {
  return mix(mix(std::uint64_t(FindingKind::atomicity) + 1, state_.stable(block.function)),
             state_.stable(block.entered.site));
}

void Atomizer::on_block_begin(const AtomicBlock& block) {
  Thread& self = thread(block.entered);
  if (self.open.empty()) {
    self.touched.clear();
    self.pending.clear();
    for (Progress& progress : self.progress) progress = {};
    in_block_.push_back(state_.index(block.thread));
  }
  Open open;
  open.number = block.number;
  open.place = place_of(block);
  entered_.insert(open.place);
  open.entered = moment(self, block.entered);
  open.declared = state_.block_origin(block.entered) == UnitOrigin::annotated;
  self.open.push_back(std::move(open));
}

void Atomizer::close(const AtomicBlock& block, bool abandoned) {
  Thread& self = thread(block.entered);
  const auto found = std::find_if(self.open.rbegin(), self.open.rend(),
                                  [&](const Open& open) { return open.number == block.number; });
  if (found == self.open.rend()) return;
  const auto at = std::next(found).base();
  const auto i = static_cast<std::size_t>(at - self.open.begin());
  if (minds_acquires(self, i)) settle(self);
  if (!abandoned) remember(self, i);
  self.watched -= at->watched.size();
  self.open.erase(at);
  for (Progress& progress : self.progress) {
    if (i < progress.committed) --progress.committed;
    if (i < progress.violated) --progress.violated;
  }
  if (!self.open.empty()) return;
  std::erase(in_block_, state_.index(block.thread));
}

void Atomizer::on_block_end(const AtomicBlock& block) { close(block, false); }

void Atomizer::on_block_abandoned(const AtomicBlock& block) {
  abandoned_.insert(place_of(block));
  close(block, true);  // if it has not ended
}

std::vector<Finding> Atomizer::take_findings() {
  std::vector<Finding> findings = findings_.take();
  // A block that is violated anyway is not shown once more for its threads.
  std::unordered_set<std::uint64_t> hidden;
  for (const Finding& finding : findings)
    if (!finding.minor) hidden.insert(mix(finding.place, kMinor));
  for (const std::uint64_t place : abandoned_) hidden.insert({place, mix(place, kMinor)});
  std::erase_if(findings, [&](const Finding& finding) { return hidden.count(finding.place) != 0; });
  counts_.entered = entered_.size() - abandoned_.size();
  counts_.atomic = counts_.entered;
  for (const Finding& finding : findings)
    if (!finding.minor) --counts_.atomic;
  return findings;
}

std::unique_ptr<Detector> make_atomizer(ExecutionState& state, const AnalysisOptions& options) {
  return std::make_unique<Atomizer>(state, options);
}

}  // namespace raddle
