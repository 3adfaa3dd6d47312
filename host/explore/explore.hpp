// An exploration from its first execution to its end: one Search, one or several executors, each on
// a thread of its own. `raddle explore` is this and a printer; raddle::check with a systematic
// strategy is this over the in-process executor.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "host/base/result.hpp"
#include "host/explore/causal_problem.hpp"
#include "host/explore/executor.hpp"
#include "host/explore/search.hpp"

namespace raddle {

class Journal;

struct ExploreOptions {
  SearchOptions search;
  bool keep_going = false;                     // after a failing execution
  std::uint64_t limit = 0;                     // executions; 0: none
  std::chrono::steady_clock::duration time{};  // zero: no limit
  const std::atomic<bool>* stop = nullptr;     // somebody wants to end
  Journal* journal = nullptr;                  // what is done is written there, see journal.hpp
};

// The same choices did not lead to the same step: what the program does depends on something else.
struct ExploreDivergence {
  std::uint64_t step = 0;
  StepRecord recorded{};
  StepRecord actual{};
};

enum class ExploreEnd : std::uint8_t { kExhausted, kFailure, kLimit, kTime, kStopped, kDiverged };

struct ExploreProgress {
  SearchCounts counts;
  double explored = 0;  // part of all there is to execute, an estimate; 1 at the end
  double seconds = 0;
  std::uint64_t queued = 0;  // executions that wait for their turn
  std::uint64_t queue_bytes = 0;
};

struct ExploreResult {
  ExploreEnd end = ExploreEnd::kExhausted;
  SearchCounts counts;
  // Everything the strategy promises was covered; see search.hpp.
  bool complete = false;
  double explored = 0;
  double seconds = 0;
  // Executions that were known and not executed, and the memory of the queue.
  std::uint64_t queued = 0;
  std::uint64_t queue_bytes = 0;
  std::optional<ExploreDivergence> divergence;
  // All schedules with at most so many preemptions were executed; none: not even those without.
  std::optional<std::uint32_t> preemptions_done;
  // Of an exploration over the causal model.
  std::optional<CausalCoverage> causal;
};

struct ExploreEvents {
  // Every execution, a diverged one included, before the next one of the same executor begins; one
  // at a time. `executor` is its index, `number` counts executions from 1.
  std::function<void(std::size_t executor, const Explored&, std::uint64_t number)> on_execution;
  // About ten times a second, on the thread that called explore().
  std::function<void(const ExploreProgress&)> on_progress;
};

// With one executor everything happens on the calling thread. An error means that executions could
// not be started.
Result<ExploreResult> explore(std::span<Executor* const> executors, const ExploreOptions& options,
                              const ExploreEvents& events);

}  // namespace raddle
