// What the user asked for, parsed and checked. main() parses; each command gets its own part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/model/options.hpp"
#include "host/cli/options/trace_input.hpp"
#include "host/process/watch.hpp"
#include "host/process/worker.hpp"
#include "host/report/trace_filter.hpp"
#include "protocol/plan.hpp"

namespace raddle {

// What run and fuzz have in common.
struct ProgramOptions {
  std::vector<std::string> program;  // everything after `--`
  std::string strategy = "random";
  std::uint64_t seed = 1;
  std::uint32_t depth = 3;
  std::uint64_t length = 0;  // of an execution, for pct; 0: fuzz measures it, run guesses
  std::string carrier = "fiber";
  std::string clock = "steady";
  bool spurious_wakeups = false;
  std::string decide = "sync";
  std::vector<std::string> atomic_blocks = {"annotated", "locks", "frames"};
  double pause_probability = 0.5;
  std::uint64_t max_pause = 2'000;
  std::string observe;  // fuzz: asset, race, atom; empty: nothing
  std::uint64_t max_steps = kDefaultMaxSteps;
  Clock::duration timeout{};
  std::vector<int> ok_exit;
  bool json = false;
};

struct RunCommand {
  ProgramOptions program;
  std::string save;
};

struct RecordCommand {
  ProgramOptions program;
  std::string file = "raddle.trace";
  bool sync_only = false;
};

struct TraceCommand {
  TraceInput input;
  TraceFilter filter;
  bool stats = false;
  bool json = false;
  bool std_text = false;
};

// What check and analyze have in common.
struct FindingOptions {
  AnalysisOptions analysis;
  bool strict = false;  // a malformed stream is an error
  std::string suppressions;
  std::string baseline;
  std::string write_baseline;
  bool all = false;  // all findings, not only the worst
};

struct CheckCommand {
  ProgramOptions program;
  FindingOptions findings;
};

struct AnalyzeCommand {
  TraceInput input;
  FindingOptions findings;
  bool json = false;
};

struct FuzzCommand {
  ProgramOptions program;
  std::uint64_t executions = 1000;
  std::uint32_t jobs = 1;
  bool keep_going = false;
  std::string out = "raddle-out";
};

struct ExploreCommand {
  ProgramOptions program;
  std::optional<std::uint32_t> bound;
  std::uint32_t jobs = 1;
  std::uint64_t limit = 0;
  Clock::duration time{};
  std::string checkpoint;
  bool resume = false;
  bool keep_going = false;
  std::string out = "raddle-out";

  // capp: over which other strategy, and what changed.
  std::string base = "icb";
  std::string heuristic = "LS";
  std::string changes;  // OLD..NEW, revisions of git
  std::string patch;    // or a file
  std::string sources = ".";

  // The order in which schedules are explored, but for rounds.
  const std::string& order() const { return program.strategy == "capp" ? base : program.strategy; }
};

struct HuntCommand {
  ProgramOptions program;
  Clock::duration budget = std::chrono::seconds(60);
  std::uint32_t jobs = 1;
  std::string out = "raddle-out";
  std::string resume;         // a folder or a hunt.json; empty: anew
  bool all = false;           // candidates that were not confirmed, too
  bool failing_only = false;  // confirmed ones do not count for the exit status
};

struct ReplayCommand {
  std::string file;
  bool gdb = false;
  std::string carrier;  // empty: as recorded
  Clock::duration timeout{};
  bool json = false;
};

struct MinimizeCommand {
  std::string file;
  std::string out;  // empty: beside the file
  Clock::duration time = std::chrono::seconds(30);
  Clock::duration timeout{};
  bool json = false;
};

struct DoctorCommand {
  std::vector<std::string> program;  // may be empty
  bool json = false;
};

Plan make_plan(const ProgramOptions& options);
CarrierKind carrier_of(const std::string& name);

}  // namespace raddle
