// The Atomizer's judgement of lock operations.
#include <algorithm>

#include "host/analysis/atomizer/atomizer.hpp"

namespace raddle {

void Atomizer::acquire(Thread& self, const Event& event) {
  const LockMovers::Judgement judgement = locks_.acquire(event);
  if (judgement.contended) contended(event.object, judgement.life);
  if (self.open.empty()) return;
  // In this order: the lock's use counts whatever the wait makes of it.
  const bool by_wait = (event.flags & kByWait) != 0;
  self.pending.hold_back(
      {event.object, moment(self, event), judgement, !judgement.both || by_wait});
  if (by_wait) settle(self);
}

void Atomizer::release(Thread& self, const Event& event) {
  const LockMovers::Judgement judgement = locks_.release(event);
  if (self.open.empty()) return;
  if (self.pending.takes_back(event.object)) return;
  settle(self);
  if (!judgement.both || (event.flags & kByWait) != 0)
    left_mover(self, moment(self, event));
  else
    self.released[event.object] = {moment(self, event), judgement.life};
}

// Something has come after the acquires: they count.
void Atomizer::settle(Thread& self) {
  if (self.pending.empty()) return;
  for (const Acquired& acquire : self.pending.settle()) {
    if (acquire.moves_right) {
      right_mover(self, acquire.moment);
    } else {
      open_windows(self, acquire);
      if (locks_.contended(acquire.lock, acquire.judgement.life))
        contended(acquire.lock, acquire.judgement.life);
    }
  }
}

// One of the acquires that are held back ends a window.
bool Atomizer::reacquires(const Thread& self) {
  const std::vector<Acquired>& acquires = self.pending.held_back();
  return std::any_of(acquires.begin(), acquires.end(), [&](const Acquired& acquire) {
    return self.released.count(acquire.lock) != 0;
  });
}

// The lock is not contended so far; the blocks in which it was released before will be violated if
// it ever is.
void Atomizer::open_windows(Thread& self, const Acquired& acquire) {
  const auto found = self.released.find(acquire.moment.object);
  if (found == self.released.end() || found->second.life != acquire.judgement.life) return;
  const LockWindow window{acquire.judgement.life, found->second.moment, acquire.moment};
  for (std::size_t i = self.violated; i < self.open.size(); ++i) {
    Open& block = self.open[i];
    if (block.entered.position >= window.released.position) break;
    const bool known =
        std::any_of(block.windows.begin(), block.windows.end(),
                    [&](const LockWindow& other) { return other.life == window.life; });
    if (!known && block.windows.size() < LockMovers::kMostWindows) block.windows.push_back(window);
  }
}

// A second thread uses the lock: what was released and acquired again could have been interrupted.
void Atomizer::contended(std::uint64_t lock, std::uint64_t life) {
  for (LockMovers::Remembered& old : locks_.take_windows(lock)) {
    ReducedBlock& block = old.block;
    const Moment& released = old.window.released;
    if (block.committed.position == 0 || block.committed.position > released.position)
      block.committed = released;
    violate(block, old.window.acquired);
    for (std::uint64_t i = 1; i < old.times; ++i) findings_.count(block.place);
  }
  for (ThreadIndex index : in_block_) {
    Thread& thread = threads_[index];
    std::size_t around = thread.violated;
    for (std::size_t i = thread.violated; i < thread.open.size(); ++i) {
      Open& block = thread.open[i];
      const auto window = std::find_if(block.windows.begin(), block.windows.end(),
                                       [&](const LockWindow& other) { return other.life == life; });
      if (window == block.windows.end()) continue;
      if (i >= thread.committed || block.committed.position > window->released.position)
        block.committed = window->released;
      violate(block, window->acquired);
      around = i + 1;
    }
    thread.violated = around;
    thread.committed = std::max(thread.committed, around);
  }
}

void Atomizer::finish() {
  for (Thread& thread : threads_) settle(thread);
}

}  // namespace raddle
