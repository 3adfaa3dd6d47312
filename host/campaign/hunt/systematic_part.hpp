// The part of a hunt that goes through schedules one after another (host/explore/), side by side
// with strategies that draw at random. When it has come to its end, there is nothing left to draw.
// Used by the thread of hunt(), but for execute().
#pragma once

#include <cstdint>

#include "host/base/result.hpp"
#include "host/explore/explored_codec.hpp"
#include "host/explore/search.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"

namespace raddle {

// One execution, and what the search needs of it.
struct SystematicExecution {
  Execution execution;
  KeptExecution kept;
};

class SystematicPart {
 public:
  // `plan` is that of every execution; the strategy and what belongs to the search are set here.
  SystematicPart(const Plan& plan, SearchOrder order);

  const Plan& plan() const { return plan_; }
  SearchOrder order() const { return search_.options().order; }

  // The next execution. False: there is none, or none until one that is under way has brought more.
  bool next(Work& work);
  // On any thread. The worker was started with kEnabledCapacity.
  static Result<SystematicExecution> execute(Worker& worker, const Plan& plan,
                                             const RunOptions& running, const Work& work);
  // In the order in which next() gave them. One that was not executed, or cut off, comes again.
  void done(const Work& work, const KeptExecution& kept, const Execution& execution);
  void give_back(const Work& work) { search_.give_back(work); }

  // Something is left, and worth it.
  bool goes_on() const { return !given_up_ && !search_.exhausted(); }
  // Everything was executed, to its end.
  bool complete() const { return !given_up_ && search_.complete(); }
  // So far a thread waited for a condition, or with a time-out.
  bool has_waits() const { return has_waits_; }
  const SearchCounts& counts() const { return search_.counts(); }

 private:
  Plan plan_;
  Search search_;
  bool given_up_ = false;
  bool has_waits_ = false;
};

}  // namespace raddle
