// Loops that wait by trying again (yield, spin, a load that finds what it found before) are not
// unrolled for ever. An idle operation that a thread repeats at the same place has a turn only when
// another thread has executed something that was not idle since; the first kIdleRepeats tries are
// free. It does not matter to anybody how often a thread looked at something that did not change.
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
  struct PerThread {
    std::uint64_t own;       // steps of its own that were not idle
    std::uint64_t others;    // of others, when it was last idle
    std::uint64_t last;      // step of its last idle operation, plus one
    std::uint64_t site;      // of that
    std::uint32_t in_a_row;  // idle operations there, with nothing else happening
  };

  // `threads` has an entry for each thread that is asked about, all zero at first.
  explicit IdleTurns(PerThread* threads) : threads_(threads) {}

  bool has_turn(const Pending& p) const {
    if (!is_idle_op(p.op)) return true;
    const PerThread& t = threads_[raw(p.thread)];
    return t.in_a_row < kIdleRepeats || t.site != p.site || busy_ - t.own != t.others;
  }

  // When nobody has a turn, who was idle longest goes on.
  std::uint64_t last_idle(const Pending& p) const { return threads_[raw(p.thread)].last; }

  void executed(ThreadId thread, OpKind op, std::uint64_t site) {
    PerThread& t = threads_[raw(thread)];
    ++steps_;
    if (!is_idle_op(op)) {
      ++busy_;
      ++t.own;
      t.in_a_row = 0;
      return;
    }
    const std::uint64_t others = busy_ - t.own;
    t.in_a_row = t.site == site && t.others == others ? t.in_a_row + 1 : 1;
    t.site = site;
    t.others = others;
    t.last = steps_;
  }

  void use(PerThread* threads) { threads_ = threads; }  // they have moved

  void restart() { steps_ = busy_ = 0; }  // the entries are zero again

 private:
  PerThread* threads_;
  std::uint64_t steps_ = 0;
  std::uint64_t busy_ = 0;  // steps that were not idle, of all threads
};

}  // namespace raddle
