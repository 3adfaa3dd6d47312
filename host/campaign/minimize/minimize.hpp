// A recorded execution made as simple as it can be: the same finding with the fewest preemptions,
// then switches, then steps. `raddle minimize` and `raddle hunt` call it, on one thread with one
// worker. Every execution that counts was executed twice: as the search asked for it, and as a
// strict replay of what came out.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "host/base/result.hpp"
#include "host/campaign/minimize/shrink.hpp"
#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// What every smaller execution must have, too.
class Criterion {
 public:
  virtual ~Criterion() = default;
  // Before each execution: who listens to its events, if anybody.
  virtual EventSink* listen() { return nullptr; }
  // After it, on the same thread.
  virtual bool has(const Execution& execution) = 0;
};

// The same kind of failure at the same place.
class FailureCriterion final : public Criterion {
 public:
  FailureCriterion(OutcomeKind kind, std::string group, Symbolizer& symbols)
      : kind_(kind), group_(std::move(group)), symbols_(symbols) {}
  bool has(const Execution& execution) override;

 private:
  const OutcomeKind kind_;
  const std::string group_;
  Symbolizer& symbols_;
};

struct MinimizeOptions {
  Clock::duration time = std::chrono::seconds(30);
  Clock::duration timeout{};                           // of one execution; zero: none but `time`
  Clock::time_point until = Clock::time_point::max();  // RunOptions::until
  const std::atomic<bool>* stop = nullptr;             // the user wants to end
  // Each time that a smaller one was found and verified; with its choice log and the first one's
  // plan.
  std::function<void(const Execution&, const ScheduleCost&)> better;
};

enum class MinimizeEnd { kComplete, kTime, kInterrupted };

struct Minimized {
  Execution execution;  // the smallest, from its strict replay, with details and its choice log
  ScheduleCost before;
  ScheduleCost after;
  std::uint64_t executions = 0;
  double seconds = 0;
  MinimizeEnd end = MinimizeEnd::kComplete;
  // A strict replay of the first one no longer has the finding: how it ended instead. Then the rest
  // says nothing.
  std::string gone;
};

ScheduleCost cost_of(const Execution& execution);

// `first` has a plan, a choice log with its hash, and the finding. An error means that executions
// could not be started.
Result<Minimized> minimize(Worker& worker, const Execution& first, Criterion& keep,
                           const MinimizeOptions& options);

}  // namespace raddle
