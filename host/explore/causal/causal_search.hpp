// The explorer over the maximal causal model (Luo's dissertation, section 4.2): executes a schedule
// only if a thread sees something in it that it never saw after the same history, or if it ends in
// a deadlock that no execution has shown. Knows nothing of processes; not thread-safe.
//
// In what it differs from the dissertation, and why it is complete, is in docs/causal.md. In short:
// all executions so far are one model, not each its own. So what is found once is found, no
// execution repeats another, and when every question has the answer no, every history of every
// thread was executed.
//
//   while (search.next(work)) search.done(work, *executor.execute(work.request()));
//   search.complete()
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "host/explore/causal/read_execution.hpp"
#include "host/explore/causal/reading.hpp"

namespace raddle {

struct CausalWork {
  std::vector<StepRecord> prefix;
  std::vector<causal::Move> schedule;
  bool deadlock = false;  // what the schedule is to end in; otherwise something new

  ExecutionRequest request() const { return {.prefix = prefix, .loose = true}; }
};

struct CausalCounts {
  std::uint64_t executions = 0;
  std::uint64_t redundant = 0;  // showed nothing new: there should be none
  std::uint64_t failing = 0;
  std::uint64_t unfinished = 0;
  // Where a failure ended an execution while another thread was about to look again at what it had
  // seen many times: that look, and what comes of it, was not executed. Known at the end.
  std::uint64_t cut_short = 0;
  std::uint64_t queries = 0;  // those that the solver answered
  std::uint64_t unknown = 0;  // of them, without an answer
  std::uint64_t pruned = 0;   // questions whose answer was clear without the solver
  std::uint64_t steps = 0;
};

// Where an execution did not make the choices of a schedule; none: it made them all.
std::optional<CausalProblem> where_it_strayed(std::span<const StepRecord> schedule,
                                              std::span<const StepRecord> log);

class CausalSearch {
 public:
  explicit CausalSearch(const causal::Rules& rules)
      : rules_(rules), reading_(histories_, sharing_) {}

  // The next execution. False: there is none.
  bool next(CausalWork& work);
  void done(const CausalWork& work, const Explored& execution);

  // Every question has the answer no, and every execution came to its end.
  bool complete() const {
    return ended_ && counts_.unknown == 0 && counts_.unfinished == 0 && counts_.cut_short == 0 &&
           problem_.kind == CausalProblem::kNone;
  }
  const CausalCounts& counts() const { return counts_; }
  // The first execution that did not fit; the search ends there.
  const CausalProblem& problem() const { return problem_; }
  const causal::Histories& histories() const { return histories_; }

 private:
  bool ask_for_news(CausalWork& work);
  bool ask_for_deadlock(CausalWork& work);
  bool is_open(causal::NodeId node) const;
  void count(const causal::Answer& answer);
  void learn_deadlock(const std::vector<causal::Move>& schedule);
  bool read_again(const Explored& execution);
  bool followed(const CausalWork& work, const Explored& execution);

  causal::Rules rules_;
  causal::Histories histories_;
  Sharing sharing_;
  CausalReading reading_;
  std::vector<ReadExecution> kept_;
  CausalCounts counts_;
  CausalProblem problem_;
  std::vector<causal::Blocked> deadlocks_;
  std::vector<causal::Blocked> cycles_;                             // of locks
  std::map<causal::NodeId, std::vector<causal::NodeId>> answered_;  // no: with this cone
  bool new_deadlock_ = false;  // in the execution that done() looks at
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace raddle
