#include "cli/explore_options.hpp"

#include "cli/option_kinds.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMaxExecutions = 1'000'000'000'000;
// An execution that is longer has more schedules than anybody explores.
constexpr std::uint64_t kExploredSteps = 100'000;

}  // namespace

CLI::App* add_explore_command(CLI::App& app, ExploreCommand& command) {
  command.program.strategy = "dpor";
  command.program.timeout = std::chrono::seconds(30);
  command.program.max_steps = kExploredSteps;
  CLI::App* explore =
      app.add_subcommand("explore", "Schedules one after another until all are covered");
  set_usage(*explore, "raddle explore [OPTIONS] -- PROG ARGS");
  choice(*explore, "--strategy", command.program.strategy, {"dfs", "bfs", "icb", "dpor"},
         "Which schedules, and in what order:"
         "\n  dfs    all of them, depth first"
         "\n  bfs    all of them, breadth first"
         "\n  icb    all of them, those with the fewest preemptions first"
         "\n  dpor   one of each kind: those that differ only in the order of"
         "\n         independent operations are alike");
  number(*explore, "--bound", ~std::uint64_t{0}, 0, 1000, "icb: at most so many preemptions",
         [&command](std::uint64_t bound) { command.bound = static_cast<std::uint32_t>(bound); })
      ->default_str("");
  number(*explore, "-j,--jobs", command.jobs, 1, 256, "How many executions at the same time");
  number(*explore, "--limit", command.limit, 1, kMaxExecutions, "How many executions at most")
      ->default_str("");
  duration(*explore, "--time", command.time, "How long at most: 500ms, 10s, 2m");
  explore
      ->add_option("--checkpoint", command.checkpoint,
                   "Write down what is done, so that --resume can go on")
      ->type_name("FILE");
  explore->add_flag("--resume", command.resume, "Go on where --checkpoint FILE ends");
  explore->add_flag("--keep-going", command.keep_going,
                    "Do not stop at the first failing execution");
  explore->add_option("--out", command.out, "Folder for replay files")
      ->type_name("DIR")
      ->default_str(command.out);
  choice(*explore, "--carrier", command.program.carrier, {"fiber", "kernel"},
         "What threads run on; the choices are the same");
  choice(*explore, "--clock", command.program.clock, {"steady", "adversarial"},
         "adversarial: a timed wait may end at any time");
  explore->add_flag("--spurious-wakeups", command.program.spurious_wakeups,
                    "Condition waits may return without a signal");
  number(*explore, "--max-steps", command.program.max_steps, 1, 1'000'000,
         "Limit of decision points of an execution");
  duration(*explore, "--timeout", command.program.timeout, "Time limit of an execution")
      ->default_str("30s");
  add_exit_codes(*explore, command.program.ok_exit);
  explore->add_flag("--json", command.program.json, "Print one JSON object instead of text");
  return explore;
}

std::string explore_conflict(const ExploreCommand& command) {
  if (command.bound && command.program.strategy != "icb")
    return "--bound is for --strategy icb: the others do not count preemptions";
  if (command.resume && command.checkpoint.empty())
    return "--resume needs --checkpoint FILE, the file to go on from";
  return {};
}

}  // namespace raddle
