// The schedules that a hunt begins with. Most bugs need one to three preemptions, at places that
// matter (Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded
// Programs", PLDI 2007). So before anything is drawn at random: each thread runs until it waits;
// the same in the opposite order; the same with every thread at once when it is created. Then with
// one preemption in the first of these, at a place where another order could be seen, in order of
// promise; with two where there are few.
//
// Deviations. All such schedules are too many for a hundred threads. A place in the code counts
// once for each of a few of the threads that come there, the first and the last of them first; and
// who goes on instead is either everybody else, until nobody can, or one thread that uses the same
// object. A thread that starts last is the same at the place where it begins.
//
// Knows nothing of processes: begin() and done() get choice logs, next() gives turns.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "host/campaign/minimize/schedule.hpp"

namespace raddle {

// One execution to be done.
struct FewPreempted {
  Schedule schedule;
  unsigned preemptions = 0;
  std::size_t kept = 0;  // so many steps of the log that it comes from are before the last one
};

class FewPreemptions {
 public:
  // `promising`: places of candidates, StepRecord::site.
  explicit FewPreemptions(std::set<std::uint64_t> promising) : promising_(std::move(promising)) {}

  // The choice log of an execution in which each thread ran until it waited.
  void begin(std::span<const StepRecord> log);
  // None: that is all.
  std::optional<FewPreempted> next();
  // What came of one, in the order of next(). An execution that was not done is left out.
  void done(const FewPreempted& one, std::span<const StepRecord> log);

 private:
  void add_orders(std::span<const StepRecord> log);
  void add_preempted(std::span<const StepRecord> log, std::size_t from, unsigned preemptions);

  std::set<std::uint64_t> promising_;
  std::deque<FewPreempted> queue_;
  std::deque<FewPreempted> second_;  // with two preemptions
  std::size_t given_ = 0;
  bool few_ = false;  // so few with one preemption that those with two are worth it
};

}  // namespace raddle
