// Loops that wait by trying again (yield, spin, an atomic operation that finds what it found
// before) are not unrolled for ever. An idle operation that a thread repeats has a turn only when
// another thread has executed something that was not idle since; the first kIdleRepeats
// repetitions are free. It does not matter to anybody how often a thread looked at something that
// did not change, unless it gives up one day: for that see protocol/turns/looking_on.hpp.
//
// A yield or spin is repeated when it is at a place where the thread was already idle since
// somebody, itself included, last did something else. An atomic operation that is tried again is a
// repetition by definition.
//
// A loop may take locks in each round, to look at what they protect, before it yields. What such a
// round does (is_round_op) counts for nothing once the thread is back at the same place: neither as
// something that it did itself, nor, while it is under way, for others that wait in the same
// manner. This is the fairness of CHESS (Musuvathi and Qadeer, "Fair Stateless Model Checking",
// PLDI 2008): who yields has said that it cannot get on alone. Nothing is lost where that is true:
// without the rounds that found nothing, the same schedule is one that has a turn at every step.
//
// Used by the strategy "systematic" while it runs, and by explorers for the same decision
// afterwards, so both have the same idea of who was a candidate.
#pragma once

#include <cstdint>

#include "protocol/pending.hpp"

namespace raddle {

inline constexpr std::uint32_t kIdleRepeats = 2;

// A loop that has looked so often in vain, with nothing done by others, is not expected to give up
// (protocol/turns/looking_on.hpp).
inline constexpr std::uint32_t kEndlessLooks = 1000;

// Leaves nothing behind when the round is over: locks are given back, and looks change nothing.
constexpr bool is_round_op(OpKind op) {
  return op == OpKind::mutex_lock || op == OpKind::mutex_trylock || op == OpKind::mutex_unlock ||
         op == OpKind::rwlock_read || op == OpKind::rwlock_tryread || op == OpKind::rwlock_write ||
         op == OpKind::rwlock_trywrite || op == OpKind::rwlock_unlock || op == OpKind::spin_lock ||
         op == OpKind::spin_trylock || op == OpKind::spin_unlock || op == OpKind::atomic_load ||
         op == OpKind::memory_read;
}

class IdleFairness {
 public:
  static constexpr std::uint32_t kPlaces = 4;  // of one loop; more count as repetitions

  struct PerThread {
    std::uint64_t own;     // steps of its own that were not idle
    std::uint64_t others;  // of others, when it was last idle
    std::uint64_t last;    // step of its last idle operation, counted from 1
    std::uint64_t place[kPlaces];
    std::uint32_t places;
    std::uint32_t repeats;
    std::uint64_t round;  // steps of its own since it was idle, that may come to nothing
    bool back;            // it was idle at the same place twice: from then on they do
  };

  // `threads` has an entry for each thread that is asked about, all zero at first.
  explicit IdleFairness(PerThread* threads) : threads_(threads) {}

  bool has_turn(const Pending& p) const {
    if (!is_idle_op(p.op)) return true;
    const PerThread& t = threads_[raw(p.thread)];
    return t.repeats < kIdleRepeats || busy_ - t.own != t.others || !is_repetition(t, p.op, p.site);
  }

  // Repetitions of its idle operations since others, or it, did anything else.
  std::uint32_t repeats(ThreadId thread) const { return threads_[raw(thread)].repeats; }

  // When nobody has a turn, who was idle longest goes on.
  std::uint64_t last_idle(const Pending& p) const { return threads_[raw(p.thread)].last; }

  void executed(ThreadId thread, OpKind op, std::uint64_t site) {
    PerThread& t = threads_[raw(thread)];
    ++steps_;
    if (!is_idle_op(op)) {
      ++t.round;
      const bool may_wait = is_round_op(op) && t.places > 0;
      if (!may_wait || !t.back) got_on(t);
      if (!may_wait) {
        t.repeats = t.places = 0;
        t.back = false;
      }
      return;
    }
    const bool renewed = busy_ - t.own != t.others;
    if (renewed) {
      t.repeats = 0;
      if (!t.back) t.places = 0;
    }
    if (is_repetition(t, op, site)) {
      if (!renewed || op == OpKind::atomic_again) ++t.repeats;
      t.back = true;
      t.round = 0;
    } else {
      got_on(t);
      t.place[t.places++] = site;
    }
    t.others = busy_ - t.own;
    t.last = steps_;
  }

  void use(PerThread* threads) { threads_ = threads; }  // they have moved

  void restart() { steps_ = busy_ = 0; }  // the entries are zero again

 private:
  // Its steps since it was last idle were no round of a loop that waits.
  void got_on(PerThread& t) {
    busy_ += t.round;
    t.own += t.round;
    t.round = 0;
  }

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
