// The profile phase of a campaign: a few recorded executions, one after another on one worker,
// until several in a row showed nothing new; one in any case. What they show is the collector's
// business. `raddle fuzz` and `raddle explore` begin with it, and `raddle hunt`. The same
// plan and program give the same profile, however many workers the campaign then has.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "host/base/result.hpp"
#include "host/process/worker.hpp"
#include "host/replay/aims.hpp"
#include "host/trace/event_sink.hpp"
#include "protocol/plan.hpp"

namespace raddle {

// Looks at executions, one after another.
class Collector {
 public:
  virtual ~Collector() = default;
  // An execution begins; its events go to what is returned, which lives until end().
  virtual EventSink& begin() = 0;
  // It has ended. Whether it showed anything that was not known before.
  virtual bool end(const Execution& execution) = 0;
  // What the next execution's plan is to name; null: nothing.
  virtual AimList aims() const { return nullptr; }
};

// How many executions a profile has, and how different they are. As it is here: for the places that
// race, which any execution shows.
struct ProfileExtent {
  unsigned quiet = 3;          // so many executions in a row without anything new end it
  unsigned at_least = 0;       // so many in any case
  unsigned at_most = 20;       // so many end it in any case
  std::size_t strategies = 2;  // of those of StrategyEntry::in_profiles so many take turns
};

// For candidates: a short program may do the same in the first few executions, and what one thread
// does late comes before what another does early in none that switches all the time.
ProfileExtent extent_for_candidates();

// Of a campaign's budget, at most.
inline constexpr double kProfileShare = 0.2;

struct ProfileOptions {
  Plan plan{};  // strategy, seed, length and trace level are set for each execution
  std::uint64_t first_seed = 1;
  ProfileExtent extent;
  Clock::duration timeout{};  // of each execution
  TraceLevel trace = TraceLevel::kMemory;
  const std::atomic<bool>* stop = nullptr;
  Clock::time_point until = Clock::time_point::max();  // then it ends
  // For a campaign to which these executions count as well. What it wants changed in one, before
  // it starts; and the execution, as one that was not traced, after the collector has seen it.
  std::function<void(Plan&, RunOptions&)> before;
  std::function<void(Execution)> after;
};

// Says how many executions there were. An error means that none could be started.
Result<unsigned> profile(Worker& worker, const ProfileOptions& options, Collector& collector);

}  // namespace raddle
