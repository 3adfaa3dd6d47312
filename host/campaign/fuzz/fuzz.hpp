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
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/failures/failure_groups.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/images/unseen_code.hpp"
#include "host/symbols/symbolizer.hpp"
#include "protocol/plan.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

// What became of one candidate; with the strategy `atom`, of one static violation that it created.
struct CandidateTally {
  SoughtFinding sought;
  std::optional<Candidate> candidate;  // none for `atom`, whose violations nobody predicted
  std::uint64_t executions = 0;        // that were to bring it about
  std::uint64_t realised = 0;          // of these, in which the strategy says that it came about
  std::uint64_t failing = 0;           // of these, that failed then
  std::uint64_t looked = 0;            // executions that the detector looked at
  std::uint64_t seen = 0;              // of these, in which it saw the candidate
  std::uint64_t first_seed = 0;  // of the first of these; before there is one, the first realised
  Confirmation confirmation;     // of that execution
  std::optional<Execution> execution;  // `atom`: the same, with its log
  std::string replay_path;             // set by who saves it
};

// The columns of Table 1 in Park and Sen 2008 that a campaign with `atom` fills: how many static
// violations were possible, came about, and came about in an execution that failed.
struct AtomicityCounts {
  std::uint64_t warnings = 0;
  std::uint64_t errors = 0;
  std::uint64_t bugs = 0;
  std::uint64_t violating = 0;  // executions in which any came about
};

struct FuzzOptions {
  Plan plan{};  // of every execution; the seed is set for each
  std::uint64_t first_seed = 1;
  std::uint64_t executions = 1000;
  bool keep_going = false;
  // Each execution is replayed under the detector to see which of these candidates came about in
  // it; not for cycles of locks. A strategy that confirms observes its own kind, and an execution
  // of it the one candidate that it was for.
  Confirms observe = Confirms::kNothing;
  bool measure_length = false;  // first run once with kPlainStrategy, to set plan.pct_steps
  Clock::duration timeout{};    // of each execution
  Clock::duration budget{};     // of all of them together; zero: none
  AimList aims;  // what the plan names; with DecideKind::kRaces and none, they are looked for
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
  std::vector<FailureGroup> findings;     // lowest first seed first
  std::vector<VerdictNote> inconclusive;  // why
  std::optional<FailureGroup> first_inconclusive;
  std::vector<MisuseNote> misuses;  // in executions that passed
  std::uint64_t pct_steps = 0;      // the length that was measured
  AimList aims;                     // what the executions' plans named
  bool instrumented = false;
  std::vector<UnseenCode> unseen;            // code of which memory accesses were not seen
  std::optional<Confirms> pursues;           // what the strategy needs candidates for
  unsigned profiled = 0;                     // executions that were searched for candidates
  std::vector<CandidateTally> pursued;       // the candidates, in the order of the profile
  std::uint64_t observed = 0;                // executions in which a detector saw any of them
  std::optional<AtomicityCounts> atomicity;  // of a campaign for violations of atomicity
  double native_seconds = 0;                 // of the program alone; 0: not known
  double seconds = 0;
  OutOfControl out_of_control;
  double profile_seconds = 0;  // of these, before the executions that count
  bool interrupted = false;
  bool out_of_budget = false;
};

// Called about ten times a second, on the thread that called fuzz().
using FuzzProgress = std::function<void(const FuzzCounts&, double seconds)>;

// Runs the campaign with one thread per worker. An error means that executions could not be
// started.
Result<FuzzResult> fuzz(const Workers& workers, const FuzzOptions& options, Symbolizer& symbols,
                        const FuzzProgress& progress);

}  // namespace raddle
