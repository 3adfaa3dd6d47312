// The controller of an exploration: which schedule prefix is executed next, and what an execution
// adds to the schedules that are known (Luo's dissertation, figure 4.1: prefixes, a queue, a
// strategy). Knows nothing of processes or threads; not thread-safe, see explore.hpp for that.
//
// What is explored is the tree of all candidates: threads that can move, but for repetitions of an
// idle operation (protocol/turns/idle_fairness.hpp) that lead nowhere
// (protocol/turns/looking_on.hpp), and all values of value choices. "complete" means that every
// schedule of that tree was executed (dfs, bfs, icb without a bound), every one with at most
// `bound` preemptions (icb), or one of each class of schedules that differ only in the order of
// independent operations (dpor).
//
// dpor is source-set dynamic partial-order reduction with sleep sets (Abdulla, Aronis, Jonsson,
// Sagonas, POPL 2014). Deviations, each because programs block and fail:
//  - Operations of threads that were blocked or cut off at the end race, too: a deadlock has no
//    step that would show that another order exists.
//  - An unlock and the lock it enables are no race; the race is with the step that took the lock.
//  - When an execution fails, every thread that could have moved instead of the failing step is
//    explored as well: the failure hides what they would have done. The failing step sleeps then,
//    so the same failure is not sought again behind steps that have nothing to do with it.
//  - The order of exploration need not be depth-first: a branch's sleep set has those of its
//    siblings that were taken before it, whether or not they are finished.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "host/explore/causality.hpp"
#include "host/explore/executor.hpp"
#include "host/explore/explored_codec.hpp"
#include "host/explore/frontier.hpp"
#include "host/explore/schedule_tree.hpp"
#include "host/explore/search_order.hpp"
#include "protocol/turns/looking_on.hpp"

namespace raddle {

// Which of the threads at a decision point are postponed to the next round, where a preemption is
// possible. kAllThreads: all but one that is not marked, unless all are marked. kSomeThreads: all
// but the one that goes on, unless some are marked.
enum class Priority : std::uint8_t { kNone, kAllThreads, kSomeThreads };

struct SearchOptions {
  SearchOrder order = SearchOrder::kDfs;
  // icb: executions with more preemptions are left out.
  std::uint32_t bound = ~std::uint32_t{0};
  // Change-aware prioritisation, by Explored::marks (host/explore/changes/capp.hpp).
  Priority priority = Priority::kNone;
};

// One execution to be done. Reused, so that its memory is.
struct Work {
  NodeIndex node = kNoNode;  // kNoNode: the first execution
  std::uint32_t branch = 0;
  std::vector<StepRecord> prefix;
  ThreadSet asleep = 0;
  bool looks_on = false;     // whether the last thread of the prefix gives up is to be seen
  std::uint64_t number = 0;  // in the order in which they are taken first

  ExecutionRequest request() const {
    return {.prefix = prefix, .asleep = asleep, .looks_on = looks_on};
  }
};

struct SearchCounts {
  std::uint64_t executions = 0;  // all, redundant ones included
  std::uint64_t redundant = 0;   // or a loop that was let look on never gave up
  std::uint64_t failing = 0;
  std::uint64_t unfinished = 0;    // a limit, or inconclusive: not covered to the end
  std::uint64_t beyond_bound = 0;  // prefixes that were left out
  std::uint64_t steps = 0;
  std::uint32_t threads = 0;                  // the most that one execution had
  std::vector<std::uint64_t> by_preemptions;  // executions
};

class Search {
 public:
  explicit Search(const SearchOptions& options);

  // The next execution. False: there is none, until one that is under way brings more.
  bool next(Work& work);

  // What became of it. Not for a diverged one.
  void done(const Work& work, const Explored& execution);

  // The steps of the prefix and who could move at each, as done() was told of them.
  void rebuild_prefix(const Work& work, KeptExecution* kept);

  // It was not executed after all: it comes again.
  void give_back(const Work& work);

  // Nothing is left to do, and everything that was executed was executed to its end.
  bool exhausted() const { return begun_ && waiting_ == 0 && underway_ == 0; }
  bool complete() const { return exhausted() && counts_.unfinished == 0; }

  // All schedules with at most so many preemptions were executed.
  std::optional<std::uint32_t> preemptions_done() const;

  const SearchCounts& counts() const { return counts_; }
  const SearchOptions& options() const { return options_; }
  double explored_part() const { return tree_.explored_part(); }
  std::size_t live_nodes() const { return tree_.live(); }
  // Executions that are known and wait for their turn, and the memory that they and the ways to
  // them take: all that grows with the number of executions.
  std::uint64_t waiting() const { return waiting_; }
  std::size_t queue_bytes() const { return tree_.bytes() + frontier_->bytes(); }

 private:
  bool reduces() const { return entry_of(options_.order).reduces; }

  void count(const Explored& execution);
  void learn_path(const Work& work);
  std::uint32_t common_steps(std::span<const StepRecord> log, std::uint32_t known) const;
  void learn_turns(std::span<const StepRecord> log, std::uint32_t common, std::uint32_t known);
  void note_turn(const StepRecord& record);
  std::uint32_t last_choice(const Explored& execution) const;
  bool may_go_on(const Explored& execution);
  bool add_nodes(const Work& work, const Explored& execution);
  void queue_lookers(const Explored& execution, NodeIndex parent, std::uint32_t parent_branch);
  void fill_branches(const Explored& execution, std::uint32_t step);
  void prioritise(const Explored& execution, std::uint32_t step, std::size_t executed);
  void queue_alternatives(NodeIndex node, std::size_t executed);
  bool may_be_taken(const Branch& branch) const;
  bool leave_out(const FrontierItem& item);
  std::uint32_t preemptions_of(NodeIndex node, std::uint32_t branch) const;
  void queue(NodeIndex node, std::uint32_t branch);
  std::uint64_t& unfinished_with(std::uint32_t preemptions);
  ThreadSet sleep_after(NodeIndex node, std::uint32_t branch) const;

  void reverse_races(const Work& work, const Explored& execution);
  void reverse(NodeIndex node, const Race& race);
  void explore_instead(NodeIndex node);

  SearchOptions options_;
  ScheduleTree tree_;
  std::unique_ptr<Frontier> frontier_;
  std::vector<Work> returned_;
  Causality causality_;
  SearchCounts counts_;
  bool begun_ = false;
  std::uint64_t waiting_ = 0;
  std::uint64_t underway_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<std::uint64_t> open_;  // by preemptions: prefixes queued or under way

  // Of the execution that done() looks at, or looked at last: what the next one has in common with
  // it is not computed again.
  std::uint64_t number_ = 0;  // Explored::number
  std::vector<StepRecord> log_;
  std::vector<NodeIndex> path_;  // by step; kNoNode where there was no choice
  std::vector<Branch> branches_;
  ThreadSet sleep_ = 0;

  // Whose turn it was, after the steps so far.
  struct Turns {
    std::uint32_t step = 0;  // so many
    std::vector<IdleFairness::PerThread> idle;
    IdleFairness turns{nullptr};
    ThreadId last = kMainThread;  // who moved last
  };
  static LookingOn::Next next_look(const Explored& execution, std::uint32_t step,
                                   const Turns& turns, LookingOn& loop);
  bool is_endless(const Explored& execution, LookingOn loop) const;
  void keep_to(std::size_t executed);

  // Which thread looks, where, and at what.
  using Loop = std::tuple<std::uint16_t, std::uint64_t, std::uint32_t>;
  static Loop loop_of(const Pending& p);
  std::set<Loop> endless_;  // those that never gave up

  Turns now_;
  std::vector<Turns> turns_at_;  // every kTurnsKept steps of log_, from the first
};

}  // namespace raddle
