#include "analysis/atomizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/shadow/extent.hpp"

namespace raddle {

Atomizer::Atomizer(World& world, const AnalysisOptions& options)
    : world_(world), lockset_(world), locks_(world, lockset_.sets(), options.refine_locks) {}

Atomizer::Thread& Atomizer::thread(const Event& event) {
  const ThreadIndex index = world_.index(event.thread);
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  return threads_[index];
}

Atomizer::Moment Atomizer::moment(Thread& thread, const Event& event) {
  return {world_.point(event), event.object, event.step, thread.position};
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
void Atomizer::turn_out(const LocksetAnalysis::Cell& cell, const Event& event,
                        std::uint64_t address) {
  for (ThreadIndex index : in_block_) {
    Thread& thread = threads_[index];
    const Touched::Entry* found = thread.touched.find(cell.variable);
    if (found == nullptr) continue;
    for (const Touched::Access* access : {&found->first, &found->last}) {
      if (access->position == thread.position && index == world_.index(event.thread)) continue;
      if (lockset_.racy(cell, access->held, access->writes))
        late_non_mover(thread, {access->point, address, access->step, access->position});
    }
  }
}

void Atomizer::access(const Event& event, bool writes) {
  const Extent extent = extent_of(event);
  if (extent.bytes == 0) return;
  Thread& self = thread(event);
  const bool in_block = !self.open.empty();
  const HeldId held = world_.held(event.thread);
  bool racy = false, full = false;
  const Touched::Access now{in_block ? world_.point(event) : kNoPoint, held, event.step,
                            self.position, writes};
  lockset_.access(event, extent.address, extent.bytes, writes,
                  [&](LocksetAnalysis::Cell& cell, std::uint64_t address, unsigned, bool lost) {
                    if (lost) turn_out(cell, event, address);
                    if (!in_block) return;
                    if (lockset_.racy(cell, held, writes))
                      racy = true;
                    else
                      full = !self.touched.add(cell.variable, now) || full;
                  });
  if (full)
    world_.note(
        fmt::format("atomizer: a block touches more than {} locations; of the others it "
                    "does not know later that they were unprotected",
                    Touched::kMost));
  if (!racy) return;
  const Moment here = moment(self, event);
  right_mover(self, here);
  left_mover(self, here);
}

void Atomizer::on_event(const Event& event) {
  Thread& self = thread(event);
  ++self.position;
  switch (event.kind) {
    case EventKind::acquire:
      if (!world_.outermost()) return;
      // In this order: the lock's use counts whatever the wait makes of it.
      if (!locks_.acquire(event) || (event.flags & kByWait) != 0)
        right_mover(self, moment(self, event));
      return;
    case EventKind::release:
      if (!world_.outermost()) return;
      if (!locks_.release(event) || (event.flags & kByWait) != 0)
        left_mover(self, moment(self, event));
      return;
    case EventKind::read:
    case EventKind::read_range:
    case EventKind::atomic_load:
      access(event, false);
      return;
    case EventKind::write:
    case EventKind::write_range:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
      access(event, true);
      return;
    case EventKind::atomic_compare:
      access(event, (event.flags & kSuccess) != 0);
      return;
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
      lockset_.forget(event.object, event.value);
      locks_.forget(event.object, event.value);
      return;
    case EventKind::destroy:
      locks_.forget(event.object, 1);
      return;
    case EventKind::none:
    case EventKind::decision:
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
    self.last_right = {};
    in_block_.push_back(world_.index(block.thread));
  }
  Open open;
  open.number = block.number;
  // The static block: where it is entered, and in which function, since the code that locks may be
  // shared by many.
  const SiteId function = world_.innermost(world_.stack(block.thread));
  open.place = mix(mix(std::uint64_t(FindingKind::atomicity) + 1, world_.stable(function)),
                   world_.stable(block.entered.site));
  open.entered = moment(self, block.entered);
  self.open.push_back(open);
}

void Atomizer::close(const AtomicBlock& block) {
  Thread& self = thread(block.entered);
  for (std::size_t i = self.open.size(); i-- > 0;) {
    if (self.open[i].number != block.number) continue;
    self.open.erase(self.open.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < self.committed) --self.committed;
    if (i < self.violated) --self.violated;
    if (self.open.empty()) std::erase(in_block_, world_.index(block.thread));
    return;
  }
}

void Atomizer::on_block_end(const AtomicBlock& block) { close(block); }

void Atomizer::on_block_abandoned(const AtomicBlock& block) {
  const Thread& self = thread(block.entered);
  for (const Open& open : self.open)
    if (open.number == block.number) abandoned_.insert(open.place);
  close(block);
}

std::vector<Finding> Atomizer::take_findings() {
  std::vector<Finding> findings = findings_.take();
  std::erase_if(findings,
                [&](const Finding& finding) { return abandoned_.count(finding.place) != 0; });
  return findings;
}

std::unique_ptr<Detector> make_atomizer(World& world, const AnalysisOptions& options) {
  return std::make_unique<Atomizer>(world, options);
}

}  // namespace raddle
