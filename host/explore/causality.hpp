// Which steps of one execution happen before which, and which pairs of them race: the basis of
// partial-order reduction. A step happens before a later one when it is of the same thread, when
// the two depend on each other (protocol/dependence.hpp), when it made the later one's
// thread able to move, and transitively.
//
// Two steps of different threads race when they depend on each other, could have been executed in
// the other order, and nothing in between that could have been reversed orders them.
//
// Cost: linear in the steps times the threads, plus the races. Steps that the execution has in
// common with the one before it are not looked at again, only compared; so depth-first search pays
// for what is new. Memory is kept between executions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/explore/executor.hpp"
#include "host/explore/key_table.hpp"

namespace raddle {

struct Race {
  std::uint32_t step = 0;   // the earlier one
  ThreadId thread{};        // of the later one
  std::uint32_t first = 0;  // of its initials, see Causality::initials()
  std::uint32_t count = 0;
};

class Causality {
 public:
  // Looks at a whole execution; the results are valid until the next call. Races are those whose
  // later step has at least the index `from`. What blocked threads were about to do at the end
  // counts as later steps: nothing else shows what they race with if the execution was cut off as
  // redundant before they could move. With `enabled_at_end`, so does what the others were about to
  // do.
  void analyse(const Explored& execution, std::uint32_t from, bool enabled_at_end);

  std::span<const Race> races() const { return races_; }

  // Threads that could have gone first at `race.step` on a way to the reversed order: the initials
  // of the steps behind it that do not depend on it, and of the later step (source sets: Abdulla,
  // Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014). Exploring one
  // of them is enough.
  std::span<const ThreadId> initials(const Race& race) const {
    return {initials_.data() + race.first, race.count};
  }

  // Of steps; a value choice is none, and belongs to the step before it.
  bool is_step(std::uint32_t index) const { return ordinal_[index] != 0; }
  bool before(std::uint32_t step, std::uint32_t later) const {
    return clock(later)[raw(thread_of_[step])] >= ordinal_[step];
  }
  // How many steps of thread `t` come before `step` or are it.
  std::uint32_t steps_before(std::uint32_t step, std::uint16_t t) const { return clock(step)[t]; }
  // Numbers of threads are below this. Those of earlier executions count.
  std::uint32_t threads() const { return threads_; }

 private:
  static constexpr std::uint32_t kNone = KeyTable::kNone;

  const std::uint32_t* clock(std::uint32_t step) const {
    return clocks_.data() + std::size_t{step} * threads_;
  }
  std::uint32_t* clock(std::uint32_t step) { return clocks_.data() + std::size_t{step} * threads_; }

  std::uint32_t common_steps(const Explored& execution) const;
  bool learn(const Explored& execution, std::uint32_t common);
  void keep(const Explored& execution, std::uint32_t common);
  void go_back_to(std::uint32_t step);
  std::span<const Pending> enabled(std::uint32_t step) const {
    return {pending_.data() + first_[step], first_[step + 1] - first_[step]};
  }
  const Pending& executed(std::uint32_t step) const { return pending_[executed_[step]]; }
  void note_enabled(std::uint32_t step);
  void order(std::uint32_t step, const Pending& p);
  void add_step(std::uint32_t step);
  void join(std::uint32_t step, std::uint32_t earlier);
  std::uint32_t last_step_of(ThreadId thread) const;

  void races_of(std::uint32_t at, const Pending& later);
  bool is_before_thread(std::uint32_t step, std::uint32_t previous) const;
  bool could_be_reversed(std::uint32_t step, const Pending& later, std::uint32_t previous) const;
  void emit(std::uint32_t step, std::uint32_t at, const Pending& later);
  std::uint32_t first_independent(std::uint32_t thread, std::uint32_t step) const;

  // The execution, as Explored has it.
  std::uint64_t number_ = 0;
  std::vector<StepRecord> log_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> first_;

  std::uint32_t steps_ = 0;
  std::uint32_t threads_ = 0;
  std::vector<std::uint32_t> clocks_;    // steps_ rows of threads_, and one for the end
  std::vector<std::uint32_t> ordinal_;   // of the step in its thread, from 1; 0: a value choice
  std::vector<ThreadId> thread_of_;      // by step
  std::vector<std::uint32_t> executed_;  // by step: of pending_
  std::vector<std::vector<std::uint32_t>> steps_of_;  // by thread

  // By thread: the step of the last group of enabled threads that it was in; and of each group that
  // it came into, from the first on, the step and the one before it, which made it able to move.
  struct Enabling {
    std::uint32_t step = 0;
    std::uint32_t by = KeyTable::kNone;
  };
  struct Presence {
    std::uint32_t last = kNever;
    std::vector<Enabling> enablings;
    std::uint32_t made_able_by() const {
      return enablings.empty() ? KeyTable::kNone : enablings.back().by;
    }
  };
  static constexpr std::uint32_t kNever = KeyTable::kNone - 1;
  std::vector<Presence> presence_;
  std::uint32_t last_step_ = KeyTable::kNone;  // a value choice is none

  KeyTable keys_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> firsts_;  // by thread, see emit()
  std::vector<Race> races_;
  std::vector<ThreadId> initials_;
};

}  // namespace raddle
