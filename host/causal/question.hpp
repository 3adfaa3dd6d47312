// Questions to the solver about the executions that the histories allow. The solver is Z3; only
// question.cpp and the formulas below it know that.
//
// Every known event e has a boolean x(e), "it is executed", and an order variable O(e). The formula
// says what docs/causal.md explains: events come in the order of their thread; who begins, joins,
// wakes or passes a semaphore comes after what let it; critical sections do not overlap; a read
// sees the last write before it. An answer is a schedule of known events that ends with the one
// that was asked for.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "host/causal/histories.hpp"
#include "host/causal/world.hpp"

namespace raddle::causal {

enum class Verdict : std::uint8_t {
  kNo,       // no execution of known events gets there
  kYes,      // `schedule` does
  kUnknown,  // the solver gave up
};

struct Answer {
  Verdict verdict = Verdict::kNo;
  bool solved = false;  // the solver was asked: false if it was clear without it
  // What the solver did for it, in its own units of work: the same on every machine.
  std::uint64_t effort = 0;
  std::vector<Move> schedule;
};

// A deadlock: the threads that wait, each with the site of what it waits for.
using Blocked = std::set<std::pair<ThreadIndex, std::uint64_t>>;

struct Rules {
  // For one question, in the solver's own units of work: the answer does not depend on the machine.
  // A few million a second.
  std::uint32_t effort = 50'000'000;
  // An execution ends as soon as threads wait for each other's locks in a cycle, whatever the
  // others could still do. Schedules never lead through such a cycle then.
  bool cycles_end = false;
  // Schedules near the recorded order are tried before the solver is asked (guess.hpp). Off to
  // measure and to test the solver alone.
  bool guesses = true;
};

// Can the thread at the node execute its next action so that something comes of it that no
// execution has shown? The last move of the schedule is that action.
Answer ask_for_news(const Histories& histories, NodeId at, const Rules& rules);

// Can all threads wait for each other, or have ended, in a way that is not among `known`? The
// schedule ends when nothing can move. With Rules::cycles_end, `cycles` must not be part of it.
Answer ask_for_deadlock(const Histories& histories, const std::vector<Blocked>& known,
                        const std::vector<Blocked>& cycles, const Rules& rules);

// Can threads wait for each other's locks in a cycle that does not contain one of `known`?
Answer ask_for_cycle(const Histories& histories, const std::vector<Blocked>& known,
                     const Rules& rules);

}  // namespace raddle::causal
