#include "host/analysis/atomizer/lock_movers.hpp"

#include <algorithm>
#include <utility>

namespace raddle {

// Under a lock that both hold, and not for reading both.
bool LockMovers::guarded(const LockUse& a, const LockUse& b) {
  if (a.any == kEmptyLockSet || b.any == kEmptyLockSet) return false;
  return sets_.intersect(a.exclusive, b.any) != kEmptyLockSet ||
         sets_.intersect(a.any, b.exclusive) != kEmptyLockSet;
}

void LockMovers::add(Lock& lock, const LockUse& now, const VectorClock& clock) {
  // Of uses that are alike the latest says it all: who does not know an earlier one does not know
  // it either.
  std::erase_if(lock.uses, [&](const LockUse& use) {
    return use.same_but_when(now) && clock.knows(use.epoch);
  });
  if (lock.uses.size() >= kMostWatched) lock.uses.pop_back();
  lock.uses.insert(lock.uses.begin(), now);
}

LockMovers::Judgement LockMovers::judge(const Event& event) {
  if (!refine_) return {};
  Lock& lock = locks_.at(event.object);
  if (lock.life == 0) lock.life = ++lives_;
  const ThreadIndex thread = state_.index(event.thread);
  const VectorClock& clock = order_.clock(thread);
  // The lock itself is the innermost of those held after an acquire.
  HeldId held = state_.held(event.thread);
  if (event.kind == EventKind::acquire) held = state_.before(held);
  const LockUse now{order_.epoch(thread), sets_.any(held), sets_.exclusive(held), state_.shared()};
  const bool contended = std::any_of(lock.uses.begin(), lock.uses.end(), [&](const LockUse& use) {
    return !clock.knows(use.epoch) && contend(use, now);
  });
  add(lock, now, clock);
  return {!contended, lock.life, now};
}

bool LockMovers::contends(const Event& event, const Judgement& judgement,
                          const WatchedLock& watched) {
  return watched.lock == event.object && watched.life == judgement.life &&
         !order_.clock(state_.index(event.thread)).knows(watched.use.epoch) &&
         contend(watched.use, judgement.use);
}

// The same for blocks that would be judged alike, but for when they happened.
std::uint64_t LockMovers::likeness(const Remembered& block) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> moments;  // position, what
  std::uint64_t hash = mix(block.block.place);
  for (const WatchedLock& watched : block.watched) {
    const std::uint64_t kind =
        mix(mix(watched.lock, watched.life),
            mix(raw(watched.use.any) | std::uint64_t(raw(watched.use.exclusive)) << 32,
                watched.use.epoch.thread() * 2 + (watched.use.shared ? 1 : 0)));
    hash = mix(hash, kind);
    moments.emplace_back(watched.released.position, kind);
    moments.emplace_back(watched.acquired.position, kind + 1);
  }
  for (std::size_t reading = 0; reading < kReadings; ++reading) {
    moments.emplace_back(block.block.committed[reading].position, 2 * reading + 1);
    moments.emplace_back(block.last_right[reading].position, 2 * reading + 2);
  }
  std::sort(moments.begin(), moments.end());
  for (const auto& [position, what] : moments) hash = mix(hash, position == 0 ? ~what : what);
  return hash;
}

bool LockMovers::remember(Remembered block) {
  const auto [found, is_new] = alike_.try_emplace(likeness(block), 0);
  if (!is_new) {
    // The later one stands for both: who knows it knows the earlier one, too.
    block.times += remembered_[found->second].times;
    remembered_[found->second] = std::move(block);
    return true;
  }
  const std::uint64_t like = found->first;
  if (unused_.empty() && !make_room()) {
    alike_.erase(like);
    return false;
  }
  bool all = true;
  const std::uint32_t index = unused_.back();
  unused_.pop_back();
  for (const WatchedLock& watched : block.watched) {
    Lock& lock = locks_.at(watched.lock);
    if (lock.life != watched.life) continue;
    if (!lock.blocks.empty() && lock.blocks.back() == index) continue;
    if (lock.blocks.size() < kMostBlocks)
      lock.blocks.push_back(index);
    else
      all = false;
  }
  alike_[like] = index;
  remembered_[index] = std::move(block);
  return all;
}

// Blocks whose locks are gone need not be remembered. Looked at seldom, since it takes a while.
bool LockMovers::make_room() {
  if (remembered_.size() < kMostRemembered) {
    unused_.push_back(static_cast<std::uint32_t>(remembered_.size()));
    remembered_.emplace_back();
    return true;
  }
  if (refused_++ % (kMostRemembered / 4) != 0) return false;
  std::erase_if(alike_, [&](const auto& entry) {
    std::vector<WatchedLock>& watched = remembered_[entry.second].watched;
    std::erase_if(watched,
                  [&](const WatchedLock& one) { return locks_.at(one.lock).life != one.life; });
    if (!watched.empty()) return false;
    unused_.push_back(entry.second);
    return true;
  });
  return !unused_.empty();
}

std::vector<LockMovers::Remembered*> LockMovers::turned_out(const Event& event,
                                                            const Judgement& judgement) {
  std::vector<Remembered*> found;
  if (!refine_) return found;
  for (const std::uint32_t index : locks_.at(event.object).blocks) {
    Remembered& block = remembered_[index];
    bool counts = false;
    std::erase_if(block.watched, [&](const WatchedLock& watched) {
      if (!contends(event, judgement, watched)) return false;
      counts = true;
      for (std::size_t reading = 0; reading < kReadings; ++reading) {
        Moment& committed = block.block.committed[reading];
        Moment& right = block.last_right[reading];
        const Moment& left = watched.released;
        const bool earlier = committed.position == 0 || left.position < committed.position;
        if (left.position != 0 && earlier) committed = left;
        // The nearest one after the release, if it decides.
        const Moment& late =
            watched.again.position > right.position ? watched.again : watched.acquired;
        if (late.position > right.position) right = late;
      }
      return true;
    });
    if (counts) found.push_back(&block);
  }
  return found;
}

}  // namespace raddle
