// The Atomizer's judgement of lock operations.
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/atomizer/atomizer.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {

void Atomizer::acquire(Thread& self, const Event& event) {
  const LockMovers::Judgement judgement = locks_.judge(event);
  turn_out(event, judgement);
  if (self.open.empty()) return;
  // In this order: the lock's use counts whatever the wait makes of it.
  const bool by_wait = (event.flags & kByWait) != 0;
  self.pending.hold_back(
      {event.object, moment(self, event), judgement, !judgement.both || by_wait});
  if (by_wait) settle(self);
}

void Atomizer::release(Thread& self, const Event& event) {
  if ((event.flags & kGivenUp) != 0) return locks_.forget(event.object, 1);
  const LockMovers::Judgement judgement = locks_.judge(event);
  turn_out(event, judgement);
  if (self.open.empty()) return;
  if (self.pending.takes_back(event.object)) return;
  settle(self);
  if (!judgement.both || (event.flags & kByWait) != 0)
    left_mover(self, moment(self, event));
  else
    watch(self, judgement, moment(self, event), false);
}

// Something has come after the acquires: they count. Nobody else can have used the locks since.
void Atomizer::settle(Thread& self) {
  if (self.pending.empty()) return;
  for (const Acquired& acquire : self.pending.settle()) {
    if (acquire.moves_right)
      right_mover(self, acquire.moment);
    else
      watch(self, acquire.judgement, acquire.moment, true);
  }
}

// Whether an acquire that is held back in this block would matter to it, now or later.
bool Atomizer::minds_acquires(const Thread& self, std::size_t block) {
  const Open& open = self.open[block];
  const bool inside =
      std::any_of(self.pending.held_back().begin(), self.pending.held_back().end(),
                  [&](const Acquired& one) { return one.moment.position > open.entered.position; });
  if (!inside) return false;
  for (const Progress& progress : self.progress)
    if (block < progress.committed) return true;
  return std::any_of(open.watched.begin(), open.watched.end(),
                     [](const WatchedLock& one) { return one.released.position != 0; });
}

// Nobody has contended for the lock so far. The blocks that the operation is in remember it.
void Atomizer::watch(Thread& self, const LockMovers::Judgement& judgement, const Moment& now,
                     bool acquire) {
  bool full = false;
  const std::size_t violated =
      std::min(self.progress[0].violated, self.progress[1].violated);  // nothing can be added there
  for (std::size_t i = violated; i < self.open.size(); ++i) {
    Open& block = self.open[i];
    if (block.entered.position >= now.position) break;
    auto at = std::find_if(block.watched.begin(), block.watched.end(), [&](const auto& one) {
      return one.lock == now.object && one.life == judgement.life &&
             one.use.epoch == judgement.use.epoch && one.use.same_but_when(judgement.use);
    });
    if (at == block.watched.end()) {
      if (block.watched.size() >= LockMovers::kMostWatched) {
        full = true;
        continue;
      }
      block.watched.push_back({now.object, judgement.life, judgement.use, {}, {}, {}});
      at = std::prev(block.watched.end());
      ++self.watched;
    }
    if (!acquire) {
      if (at->released.position == 0) at->released = now;
      continue;
    }
    if (at->released.position != 0 && at->again.position == 0) at->again = now;
    at->acquired = now;
  }
  if (full)
    state_.note(
        fmt::format("atomizer: a block uses more than {} locks that no other thread has used "
                    "before; of the others it does not know later",
                    LockMovers::kMostWatched));
}

// The block has ended; it may turn out to be violated.
void Atomizer::remember(Thread& self, std::size_t block) {
  Open& open = self.open[block];
  const auto violated = [&](Reading reading) {
    return block < self.progress[static_cast<std::size_t>(reading)].violated;
  };
  const bool known = violated(open.declared ? Reading::kWithThreads : Reading::kPlain);
  if (known || open.watched.empty()) return;
  // Without a left mover that came or may come before something else, it cannot be.
  LockMovers::Remembered remembered{open, {}, open.watched, 1};
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (std::size_t reading = 0; reading < kReadings; ++reading) {
    Moment& right = remembered.last_right[reading];
    if (self.progress[reading].last_right.position > open.entered.position)
      right = self.progress[reading].last_right;
    if (block >= self.progress[reading].committed) remembered.block.committed[reading] = {};
    const std::uint64_t committed = remembered.block.committed[reading].position;
    if (committed != 0) first = std::min(first, committed);
    last = std::max(last, right.position);
  }
  for (const WatchedLock& watched : open.watched) {
    if (watched.released.position != 0) first = std::min(first, watched.released.position);
    last = std::max(last, watched.acquired.position);
  }
  if (first >= last) return;
  if (!locks_.remember(std::move(remembered)))
    state_.note(
        fmt::format("atomizer: more than {} blocks use a lock before a second thread uses it, or "
                    "more than {} blocks such locks; of the others it does not know later",
                    LockMovers::kMostBlocks, LockMovers::kMostRemembered));
}

// What other threads did to the lock, and was taken to move both ways, does not if the current
// operation contends with it.
void Atomizer::turn_out(const Event& event, const LockMovers::Judgement& judgement) {
  for (LockMovers::Remembered* old : locks_.turned_out(event, judgement)) {
    for (std::size_t reading = 0; reading < kReadings; ++reading) {
      const Moment& committed = old->block.committed[reading];
      const Moment& right = old->last_right[reading];
      if (committed.position == 0 || committed.position >= right.position) continue;
      violate(old->block, static_cast<Reading>(reading), right, old->times);
      if (old->block.declared == (static_cast<Reading>(reading) == Reading::kWithThreads))
        old->watched.clear();
    }
  }
  for (const ThreadIndex index : in_block_) {
    Thread& thread = threads_[index];
    if (thread.watched == 0 || index == state_.index(event.thread)) continue;
    for (std::size_t i = 0; i < thread.open.size(); ++i) {
      // One by one: what was watched becomes part of the thread's progress.
      for (std::size_t k = 0; k < thread.open[i].watched.size();) {
        if (!locks_.contends(event, judgement, thread.open[i].watched[k])) {
          ++k;
          continue;
        }
        const WatchedLock one = thread.open[i].watched[k];
        thread.open[i].watched.erase(thread.open[i].watched.begin() +
                                     static_cast<std::ptrdiff_t>(k));
        --thread.watched;
        if (one.released.position != 0) late_left_mover(thread, one.released);
        if (one.again.position != 0) late_right_mover(thread, one.again);
        if (one.acquired.position != 0) late_right_mover(thread, one.acquired);
      }
    }
  }
}

void Atomizer::finish() {
  for (Thread& thread : threads_) settle(thread);
}

}  // namespace raddle
