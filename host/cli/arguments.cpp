#include "host/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "host/cli/commands/explore_options.hpp"
#include "host/cli/commands/hunt_options.hpp"
#include "host/cli/commands/trace_options.hpp"
#include "host/cli/options/analysis_options.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMaxExecutions = 1'000'000'000;
constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();

// One execution has no candidates: those come from a campaign's profile.
std::set<std::string> strategy_names(bool campaign) {
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    if (campaign || !entry.needs_candidate) names.insert(entry.name);
  }
  return names;
}

// Of an execution that did not deadlock nobody can say which cycle of locks came about in it.
std::set<std::string> observable_strategies() {
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    const bool observable =
        entry.confirms != Confirms::kNothing && entry.confirms != Confirms::kDeadlocks;
    if (observable) names.insert(entry.name);
  }
  return names;
}

std::string strategy_help(bool campaign) {
  std::string text = "Who goes next:";
  for (const StrategyEntry& entry : strategies()) {
    if (entry.needs_candidate && !campaign) continue;
    text += fmt::format("\n  {:<12} {}", entry.name, entry.summary);
  }
  return text;
}

void add_program_options(CLI::App& app, ProgramOptions& options, const char* seed_help,
                         bool campaign = false) {
  number(app, "--seed", options.seed, 0, kAnySeed, seed_help);
  choice(app, "--strategy", options.strategy, strategy_names(campaign), strategy_help(campaign));
  number(app, "--depth", options.depth, 1, 64, "pct: depth of the bugs to look for");
  number(app, "--length", options.length, 1, kMaxMaxSteps,
         "pct: expected decision points an execution (fuzz measures it, run takes 1000)")
      ->default_str("");
  choice(app, "--carrier", options.carrier, {"fiber", "kernel"},
         "What threads run on; the choices are the same");
  choice(app, "--clock", options.clock, {"steady", "adversarial"},
         "adversarial: a timed wait may end at any time");
  app.add_flag("--spurious-wakeups", options.spurious_wakeups,
               "Condition waits may return without a signal");
  number(app, "--max-steps", options.max_steps, 1, kMaxMaxSteps, "Limit of decision points");
  duration(app, "--timeout", options.timeout, "Time limit of an execution: 500ms, 10s, 2m");
  add_exit_codes(app, options.ok_exit);
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
}

// A single execution does not know what races in others.
void add_decide(CLI::App& app, ProgramOptions& options) {
  choice(app, "--decide", options.decide, {"sync", "all"},
         "Instrumented: which plain accesses are decision points. Unmodified: all lets others "
         "run after a release, too, not only before the next operation");
}

void add_atom(CLI::App& app, ProgramOptions& options) {
  app.add_option_function<std::vector<std::string>>(
         "--atomic",
         [&options](const std::vector<std::string>& names) { options.atomic_blocks = names; },
         "atom: what is an atomic block: annotated, locks (a region that holds a lock), functions\n"
         "(units of work), frames (an invocation of a function that takes a lock twice)")
      ->type_name("SOURCE,...")
      ->delimiter(',')
      ->check(CLI::IsMember({"annotated", "locks", "functions", "frames"}))
      ->default_str("annotated,locks,frames");
  app.add_option("--pause-probability", options.pause_probability,
                 "atom: how likely a thread is held back where it could be")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("0..1")
      ->default_str("0.5");
  number(app, "--max-pause", options.max_pause, 1, kMaxMaxSteps,
         "atom, race, deadlock, asset: no thread is held back for more steps than this");
}

// Everything the parser fills; the sub-commands point into it.
struct Parser {
  Parser() {
    app.require_subcommand(1);
    set_usage(app, "raddle COMMAND [OPTIONS]");
    app.set_version_flag("--version", "raddle " RADDLE_VERSION);
    app.get_option("--version")->description("Print the version and exit");
    app.footer(
        "Exit status: 0 nothing found; 1 something failing found (check, analyze: a candidate);\n"
        "2 usage or bad input; 3 inconclusive or diverged.\n\nStart with:  raddle hunt -- "
        "./your-program its arguments");

    run = app.add_subcommand("run", "One execution, with your terminal's input and output");
    set_usage(*run, "raddle run [OPTIONS] -- PROG ARGS");
    add_program_options(*run, run_command.program, "Seed of the strategy");
    add_decide(*run, run_command.program);
    add_atom(*run, run_command.program);
    run->add_option("--save", run_command.save, "Write a replay file, also if it passes")
        ->type_name("FILE");

    record = app.add_subcommand("record", "One execution, and a trace of all that happened in it");
    set_usage(*record, "raddle record [OPTIONS] -- PROG ARGS");
    record->add_option("-o,--output", record_command.file, "The trace file")
        ->type_name("FILE")
        ->default_str(record_command.file);
    record->add_flag("--sync-only", record_command.sync_only,
                     "No memory accesses and functions, also if the program is instrumented");
    add_program_options(*record, record_command.program, "Seed of the strategy");
    add_decide(*record, record_command.program);

    trace = add_trace_command(app, trace_command);
    analyze = add_analyze_command(app, analyze_command);

    check = app.add_subcommand("check", "One execution, and what could go wrong in others");
    set_usage(*check, "raddle check [OPTIONS] -- PROG ARGS");
    add_analysis_options(*check, check_command.findings);
    add_program_options(*check, check_command.program, "Seed of the strategy");
    add_decide(*check, check_command.program);

    hunt = add_hunt_command(app, hunt_command);

    fuzz_command.program.timeout = std::chrono::seconds(30);
    fuzz =
        app.add_subcommand("fuzz", "Many executions, each with another seed; finds failing ones");
    set_usage(*fuzz, "raddle fuzz [OPTIONS] -- PROG ARGS");
    number(*fuzz, "-n,--executions", fuzz_command.executions, 1, kMaxExecutions,
           "How many executions at most");
    number(*fuzz, "-j,--jobs", fuzz_command.jobs, 1, 256, "How many at the same time");
    fuzz->add_flag("--keep-going", fuzz_command.keep_going,
                   "Do not stop at the first failing execution: count them");
    choice(*fuzz, "--observe", fuzz_command.program.observe, observable_strategies(),
           "Replay each execution under the detector, and count those in which each candidate of\n"
           "that strategy really came about; with any strategy of executions");
    fuzz->add_option("--out", fuzz_command.out, "Folder for replay files")
        ->type_name("DIR")
        ->default_str(fuzz_command.out);
    add_program_options(*fuzz, fuzz_command.program, "First seed; the next ones follow", true);
    add_atom(*fuzz, fuzz_command.program);
    fuzz->get_option("--timeout")->default_str("30s");
    fuzz_command.program.decide = "races";
    choice(*fuzz, "--decide", fuzz_command.program.decide, {"sync", "races", "all"},
           "Instrumented: which plain accesses are decision points; races: a few recorded "
           "executions show first which ones race. Unmodified: all lets others run after a "
           "release, too, not only before the next operation");

    explore = add_explore_command(app, explore_command);

    replay = app.add_subcommand("replay", "A saved execution again, each step checked");
    set_usage(*replay, "raddle replay [OPTIONS] FILE");
    replay->add_option("file", replay_command.file, "The replay file")
        ->required()
        ->type_name("FILE");
    replay->add_flag("--gdb", replay_command.gdb, "In the debugger, with ordinary threads");
    choice(*replay, "--carrier", replay_command.carrier, {"fiber", "kernel"},
           "Another carrier than recorded");
    duration(*replay, "--timeout", replay_command.timeout, "Time limit: 500ms, 10s, 2m");
    replay->add_flag("--json", replay_command.json, "Print one JSON object instead of text")
        ->excludes("--gdb");

    minimize = app.add_subcommand("minimize", "A saved execution with as few switches as possible");
    set_usage(*minimize, "raddle minimize [OPTIONS] FILE");
    minimize->add_option("file", minimize_command.file, "The replay file")
        ->required()
        ->type_name("FILE");
    minimize
        ->add_option("-o,--output", minimize_command.out,
                     "Where the smaller one goes (beside FILE, as NAME.min.replay)")
        ->type_name("FILE");
    duration(*minimize, "--time,--budget", minimize_command.time, "How long to try: 500ms, 10s, 2m")
        ->default_str("30s");
    duration(*minimize, "--timeout", minimize_command.timeout, "Time limit of one execution");
    minimize->add_flag("--json", minimize_command.json, "Print one JSON object instead of text");

    doctor = app.add_subcommand("doctor", "Can this machine, and this program, be controlled?");
    set_usage(*doctor, "raddle doctor [OPTIONS] [-- PROG]");
    doctor->add_flag("--json", doctor_command.json, "Print one JSON object instead of text");
  }

  // The sub-command that was named, or null.
  CLI::App* chosen() const {
    for (CLI::App* command :
         {run, record, trace, analyze, check, hunt, fuzz, explore, replay, minimize, doctor}) {
      if (command->parsed()) return command;
    }
    return nullptr;
  }

  CLI::App app{
      "Raddle runs the threads of a C or C++ program one at a time, in an order that a seed\n"
      "decides, and replays any such execution exactly."};
  CLI::App* run = nullptr;
  CLI::App* record = nullptr;
  CLI::App* trace = nullptr;
  CLI::App* analyze = nullptr;
  CLI::App* check = nullptr;
  CLI::App* fuzz = nullptr;
  CLI::App* explore = nullptr;
  CLI::App* replay = nullptr;
  CLI::App* minimize = nullptr;
  CLI::App* hunt = nullptr;
  CLI::App* doctor = nullptr;
  RunCommand run_command;
  RecordCommand record_command;
  TraceCommand trace_command;
  AnalyzeCommand analyze_command;
  CheckCommand check_command;
  FuzzCommand fuzz_command;
  ExploreCommand explore_command;
  ReplayCommand replay_command;
  MinimizeCommand minimize_command;
  HuntCommand hunt_command;
  DoctorCommand doctor_command;
};

UsageError usage_error(const Parser& parser, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const CLI::App* command = parser.chosen();
  return {fmt::format("{}; see `raddle {}--help'", text,
                      command != nullptr ? command->get_name() + " " : "")};
}

// A seed range that would wrap around cannot be reported as FIRST, FIRST+1, ...
bool seeds_overflow(const FuzzCommand& command) {
  return command.program.seed > kAnySeed - (command.executions - 1);
}

Arguments take_program(Parser& parser, bool separator, std::vector<std::string> program) {
  const bool needs_program = parser.run->parsed() || parser.record->parsed() ||
                             parser.check->parsed() || parser.fuzz->parsed() ||
                             parser.hunt->parsed() || parser.explore->parsed();
  if (needs_program && program.empty()) {
    return usage_error(parser, fmt::format("no program given: raddle {} -- PROG ARGS",
                                           parser.chosen()->get_name()));
  }
  if ((parser.replay->parsed() || parser.minimize->parsed()) && separator) {
    return usage_error(
        parser, fmt::format("{} takes the program and its arguments from the file, not after --",
                            parser.chosen()->get_name()));
  }
  if ((parser.trace->parsed() || parser.analyze->parsed()) && separator) {
    return usage_error(parser, fmt::format("{} reads a file, and takes nothing after --",
                                           parser.chosen()->get_name()));
  }
  if (parser.run->parsed()) {
    parser.run_command.program.program = std::move(program);
    return std::move(parser.run_command);
  }
  if (parser.record->parsed()) {
    parser.record_command.program.program = std::move(program);
    return std::move(parser.record_command);
  }
  if (parser.fuzz->parsed()) {
    if (seeds_overflow(parser.fuzz_command)) {
      return usage_error(parser, "--seed and -n go beyond the last seed, 2^64-1");
    }
    parser.fuzz_command.program.program = std::move(program);
    return std::move(parser.fuzz_command);
  }
  if (parser.explore->parsed()) {
    const std::string conflict = explore_conflict(parser.explore_command);
    if (!conflict.empty()) return usage_error(parser, conflict);
    parser.explore_command.program.program = std::move(program);
    return std::move(parser.explore_command);
  }
  if (parser.trace->parsed()) {
    const std::string conflict = trace_conflict(parser.trace_command);
    if (!conflict.empty()) return usage_error(parser, conflict);
    return std::move(parser.trace_command);
  }
  if (parser.analyze->parsed()) return std::move(parser.analyze_command);
  if (parser.check->parsed()) {
    parser.check_command.program.program = std::move(program);
    return std::move(parser.check_command);
  }
  if (parser.hunt->parsed()) {
    parser.hunt_command.program.program = std::move(program);
    return std::move(parser.hunt_command);
  }
  if (parser.replay->parsed()) return std::move(parser.replay_command);
  if (parser.minimize->parsed()) return std::move(parser.minimize_command);
  parser.doctor_command.program = std::move(program);
  return std::move(parser.doctor_command);
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  const auto ours = std::find(argv + std::min(argc, 1), argv + argc, std::string_view("--"));
  const bool separator = ours != argv + argc;
  std::vector<std::string> program;
  if (separator) program.assign(ours + 1, argv + argc);

  Parser parser;
  const bool has_command = argc > 1 && ours > argv + 1 && argv[1][0] != '-';
  const auto is_named = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (has_command && parser.app.get_subcommands(is_named).empty()) {
    return usage_error(parser, fmt::format("there is no command `{}'", argv[1]));
  }
  try {
    parser.app.parse(static_cast<int>(ours - argv), argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* command = parser.chosen();
    return Told{command != nullptr ? command->help() : parser.app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Told{std::string(version.what()) + "\n"};
  } catch (const CLI::ExtrasError& error) {
    const CLI::App* command = parser.chosen();
    if (command == nullptr) return usage_error(parser, error.what());
    return usage_error(parser, fmt::format("`{}' is no argument of {} (a program goes after --)",
                                           command->remaining().front(), command->get_name()));
  } catch (const CLI::ParseError& error) {
    return usage_error(parser, error.what());
  }
  return take_program(parser, separator, std::move(program));
}

}  // namespace raddle
