// Many executions, seed after seed, over several workers. `raddle fuzz` is this and a printer.
//
// The result does not depend on how many workers there are or which is faster: executions are
// counted in the order of their seeds, and a campaign that stops at the first failure ends with the
// lowest failing seed, after all lower seeds have passed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "campaign/failure_groups.hpp"
#include "campaign/worker.hpp"
#include "report/symbolizer.hpp"
#include "trace/plan.hpp"
#include "trace/result.hpp"

namespace raddle {

struct FuzzOptions {
  Plan plan{};  // of every execution; the seed is set for each
  std::uint64_t first_seed = 1;
  std::uint64_t executions = 1000;
  bool keep_going = false;
  bool measure_length = false;              // first run once with "random", to set plan.pct_steps
  Clock::duration timeout{};                // of each execution
  const std::atomic<bool>* stop = nullptr;  // the user wants to end
};

struct FuzzCounts {
  std::uint64_t executions = 0;
  std::uint64_t failing = 0;
  std::uint64_t inconclusive = 0;  // limits included
  std::uint64_t steps = 0;         // of all executions
  std::uint32_t threads = 0;       // the most that one execution had
  std::uint64_t schedules = 0;     // different choice logs
  std::uint64_t findings = 0;      // different failures
};

struct FuzzResult {
  FuzzCounts counts;
  std::vector<FailureGroup> findings;  // lowest first seed first
  std::vector<Note> inconclusive;      // why, in words
  std::vector<Note> misuses;           // in executions that passed
  std::uint64_t pct_steps = 0;         // the length that was measured
  double seconds = 0;
  bool interrupted = false;
};

// Called about ten times a second, on the thread that called fuzz().
using FuzzProgress = std::function<void(const FuzzCounts&, double seconds)>;

// Runs the campaign with one thread per worker. An error means that executions could not be
// started.
Result<FuzzResult> fuzz(std::span<const std::unique_ptr<Worker>> workers,
                        const FuzzOptions& options, Symbolizer& symbols,
                        const FuzzProgress& progress);

}  // namespace raddle
