// Loops that wait by trying again (yield, spin, an atomic operation that finds what it found
// before) are not unrolled for ever. An idle operation that a thread repeats has a turn only when
// another thread has executed something that was not idle since; the first kIdleRepeats
// repetitions are free. It does not matter to anybody how often a thread looked at something that
// did not change.
//
// A yield or spin is repeated when it is at a place where the thread was already idle since
// somebody, itself included, last did something else. An atomic operation that is tried again is a
// repetition by definition.
//
// Used by the strategy "systematic" while it runs, and by explorers for the same decision
// afterwards, so both have the same idea of who was a candidate.
#pragma once

#include <cstdint>

#include "trace/pending.hpp"

namespace raddle {

inline constexpr std::uint32_t kIdleRepeats = 2;

class IdleTurns {
 public:
  static constexpr std::uint32_t kPlaces = 4;  // of one loop; more count as repetitions

  struct PerThread {
    std::uint64_t own;     // steps of its own that were not idle
    std::uint64_t others;  // of others, when it was last idle
    std::uint64_t last;    // step of its last idle operation, counted from 1
    std::uint64_t place[kPlaces];
    std::uint32_t places;
    std::uint32_t repeats;
  };

  // `threads` has an entry for each thread that is asked about, all zero at first.
  explicit IdleTurns(PerThread* threads) : threads_(threads) {}

  bool has_turn(const Pending& p) const {
    if (!is_idle_op(p.op)) return true;
    const PerThread& t = threads_[raw(p.thread)];
    return t.repeats < kIdleRepeats || busy_ - t.own != t.others || !is_repetition(t, p.op, p.site);
  }

  // When nobody has a turn, who was idle longest goes on.
  std::uint64_t last_idle(const Pending& p) const { return threads_[raw(p.thread)].last; }

  void executed(ThreadId thread, OpKind op, std::uint64_t site) {
    PerThread& t = threads_[raw(thread)];
    ++steps_;
    if (!is_idle_op(op)) {
      ++busy_;
      ++t.own;
      t.repeats = t.places = 0;
      return;
    }
    if (busy_ - t.own != t.others) t.repeats = t.places = 0;
    t.others = busy_ - t.own;
    t.last = steps_;
    if (is_repetition(t, op, site)) {
      ++t.repeats;
    } else {
      t.place[t.places++] = site;
    }
  }

  void use(PerThread* threads) { threads_ = threads; }  // they have moved

  void restart() { steps_ = busy_ = 0; }  // the entries are zero again

 private:
  static bool is_repetition(const PerThread& t, OpKind op, std::uint64_t site) {
    if (op == OpKind::atomic_again || t.places == kPlaces) return true;
    for (std::uint32_t i = 0; i < t.places; ++i) {
      if (t.place[i] == site) return true;
    }
    return false;
  }

  PerThread* threads_;
  std::uint64_t steps_ = 0;
  std::uint64_t busy_ = 0;  // steps that were not idle, of all threads
};

}  // namespace raddle
