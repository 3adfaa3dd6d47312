// Vector clocks and epochs, as in FastTrack: an epoch c@t is one component of a vector clock, and
// stands for "everything that thread t did up to its time c". What a thread is here is for its user
// to say: a small number, which may be used again (HappensBefore and TransactionGraph do).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace raddle {

using ThreadIndex = std::uint32_t;  // ExecutionState::index()
using ThreadTime = std::uint64_t;

class Epoch {
 public:
  constexpr Epoch() = default;  // before everything: 0@0
  constexpr Epoch(ThreadIndex thread, ThreadTime clock)
      : bits_(std::uint64_t(thread) << kClockBits | (clock & kClockMask)) {}
  constexpr ThreadIndex thread() const { return static_cast<ThreadIndex>(bits_ >> kClockBits); }
  constexpr ThreadTime clock() const { return bits_ & kClockMask; }
  constexpr bool none() const { return clock() == 0; }
  constexpr bool operator==(const Epoch&) const = default;

 private:
  static constexpr int kClockBits = 44;
  static constexpr std::uint64_t kClockMask = (std::uint64_t{1} << kClockBits) - 1;
  std::uint64_t bits_ = 0;
};

// Components that were never set are 0; so clocks of different lengths compare.
class VectorClock {
 public:
  ThreadTime get(ThreadIndex thread) const { return thread < clocks_.size() ? clocks_[thread] : 0; }
  void set(ThreadIndex thread, ThreadTime clock) {
    if (thread >= clocks_.size()) clocks_.resize(thread + 1);
    clocks_[thread] = clock;
  }
  void tick(ThreadIndex thread) { set(thread, get(thread) + 1); }
  Epoch epoch(ThreadIndex thread) const { return {thread, get(thread)}; }

  // Least upper bound of both.
  void join(const VectorClock& other) {
    if (other.clocks_.size() > clocks_.size()) clocks_.resize(other.clocks_.size());
    for (std::size_t i = 0; i < other.clocks_.size(); ++i)
      clocks_[i] = std::max(clocks_[i], other.clocks_[i]);
  }
  bool knows(Epoch epoch) const { return epoch.clock() <= get(epoch.thread()); }
  // Every component is at most the other's.
  bool leq(const VectorClock& other) const {
    for (std::size_t i = 0; i < clocks_.size(); ++i)
      if (clocks_[i] > other.get(static_cast<ThreadIndex>(i))) return false;
    return true;
  }
  // Keeps the memory: for clocks that are reused.
  void clear() { clocks_.clear(); }
  bool empty() const { return clocks_.empty(); }
  std::size_t size() const { return clocks_.size(); }

 private:
  std::vector<ThreadTime> clocks_;
};

}  // namespace raddle
