// The process executor: each execution is one of a worker's.
#pragma once

#include <string>

#include "host/explore/executor.hpp"
#include "host/process/worker.hpp"

namespace raddle {

// Operations that an exploration remembers of one execution, for WorkerOptions::enabled_capacity.
inline constexpr std::uint64_t kEnabledCapacity = 4'000'000;
// An execution that is longer has more schedules than anybody explores.
inline constexpr std::uint64_t kExploredSteps = 100'000;
// So many idle operations of all threads in a row are a livelock: the explorer gives each its fair
// turn, so nothing else is to be expected.
inline constexpr std::uint64_t kExploredLivelock = 1000;

class ProcessExecutor final : public Executor {
 public:
  // The worker was started with kEnabledCapacity; `plan` has the options of the program. With
  // Plan::detail the executions tell where threads were (Explored::stacks).
  ProcessExecutor(Worker& worker, const Plan& plan, RunOptions options);

  const Explored* execute(const ExecutionRequest& request) override;
  std::string_view error() const override { return error_; }

  // From the next execution on: tell what the steps found (Explored::values).
  void show_values() { values_ = true; }

  // The last execution, with its report and choice log if it did not simply pass. The caller may
  // move it away.
  Execution& last() { return last_; }

 private:
  void read_logs();
  void note_common(bool nobody_between);

  Worker& worker_;
  Plan plan_;
  RunOptions options_;
  bool values_ = false;
  Execution last_;
  Explored explored_;
  std::uint64_t number_ = 0;  // of explored_
  std::uint64_t runs_ = 0;    // of the worker, at its end
  std::string error_;
};

}  // namespace raddle
