// The options of commands that execute a program, and the plan that follows from them. A command
// has one of these, adds those options to its command line that it knows, and makes its plan when
// the command line has been parsed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/process/watch.hpp"
#include "host/process/worker.hpp"
#include "protocol/plan.hpp"
#include "protocol/strategies.hpp"

namespace CLI {
class App;
}

namespace raddle {

struct ProgramOptions {
  std::string strategy = kPlainStrategy;
  std::uint64_t seed = 1;
  std::uint32_t depth = 3;
  std::uint64_t length = 0;  // of an execution, for pct; 0: fuzz measures it, run guesses
  std::string carrier = "fiber";
  std::string clock = "steady";
  bool spurious_wakeups = false;
  bool short_transfers = false;
  bool failing_allocations = false;
  bool no_memory_faults = false;
  std::string decide = "sync";
  std::vector<std::string> atomic_blocks = {"annotated", "locks", "frames"};
  double pause_probability = 0.5;
  std::uint64_t max_pause = 2'000;
  std::uint64_t max_steps = kDefaultMaxSteps;
  Clock::duration timeout{};
  std::vector<int> ok_exit;
  bool restore = false;  // processes, instead of forking one for each execution
};

// They fill `options`, which must outlive the parsing. --help shows them in the order of the calls.
void add_seed(CLI::App& app, ProgramOptions& options, const char* help);
// One execution has no candidates, which come from a campaign's profile: `campaign` is for commands
// that make one.
void add_strategy(CLI::App& app, ProgramOptions& options, bool campaign);
void add_limits(CLI::App& app, ProgramOptions& options);  // --carrier to --ok-exit
void add_carrier(CLI::App& app, ProgramOptions& options);
void add_fork(CLI::App& app, bool& restore);  // of a campaign, which restores else
void add_memory_faults(CLI::App& app, ProgramOptions& options);
void add_clock(CLI::App& app, ProgramOptions& options);
// `values`: with what `raddle predict` needs.
void add_decide(CLI::App& app, ProgramOptions& options, bool values = false);  // of one execution
void add_atomic(CLI::App& app, ProgramOptions& options);
void add_atom(CLI::App& app, ProgramOptions& options);  // --atomic, too
// --strict: what rests on an inference counts for the exit status.
void add_strict(CLI::App& app, bool& strict);

Plan make_plan(const ProgramOptions& options);
// Plan::atomic_blocks, for strategies that read them; make_plan() sets them for its own.
std::uint8_t atomic_blocks(const ProgramOptions& options);
CarrierKind carrier_of(const std::string& name);

}  // namespace raddle
