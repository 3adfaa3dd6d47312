#include "host/cli/commands/explore_options.hpp"

#include <fmt/format.h>

#include <set>

#include "host/cli/options/option_kinds.hpp"
#include "host/explore/changes/capp.hpp"
#include "host/explore/search_order.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMaxExecutions = 1'000'000'000'000;
// An execution that is longer has more schedules than anybody explores.
constexpr std::uint64_t kExploredSteps = 100'000;

std::set<std::string> order_names() {
  std::set<std::string> names;
  for (const SearchOrderEntry& entry : search_orders()) names.insert(entry.name);
  return names;
}

std::string strategy_help() {
  std::string text = "Which schedules, and in what order:";
  const auto add = [&](std::string_view name, std::string_view summary) {
    text += fmt::format("\n  {:<6} ", name);
    for (const char c : summary) text += c == '\n' ? std::string("\n         ") : std::string(1, c);
  };
  for (const SearchOrderEntry& entry : search_orders()) add(entry.name, entry.summary);
  add("capp", "as --base, but first what preempts changed code");
  return text;
}

}  // namespace

CLI::App* add_explore_command(CLI::App& app, ExploreCommand& command) {
  command.program.strategy = "dpor";
  command.program.timeout = std::chrono::seconds(30);
  command.program.max_steps = kExploredSteps;
  CLI::App* explore =
      app.add_subcommand("explore", "Schedules one after another until all are covered");
  set_usage(*explore, "raddle explore [OPTIONS] -- PROG ARGS");
  std::set<std::string> strategies = order_names();
  strategies.insert("capp");
  choice(*explore, "--strategy", command.program.strategy, strategies, strategy_help());
  number(*explore, "--bound", ~std::uint64_t{0}, 0, 1000, "icb: at most so many preemptions",
         [&command](std::uint64_t bound) { command.bound = static_cast<std::uint32_t>(bound); })
      ->default_str("");
  choice(*explore, "--base", command.base, order_names(),
         "capp: the strategy that it puts in another order");
  const std::vector<std::string> names = heuristic_names();
  choice(*explore, "--heuristic", command.heuristic, {names.begin(), names.end()},
         "capp: what matches (Class, Method, Line: at the operation, or with O anywhere on "
         "the stack; Field), in All or Some of the threads");
  explore->add_option("--changes", command.changes, "capp: what changed, as revisions of git")
      ->type_name("OLD..NEW");
  explore->add_option("--patch", command.patch, "capp: what changed, as a unified diff")
      ->type_name("FILE")
      ->excludes("--changes");
  explore->add_option("--sources", command.sources, "capp: where the changed sources are")
      ->type_name("DIR")
      ->default_str(command.sources);
  number(*explore, "-j,--jobs", command.jobs, 1, 256, "How many executions at the same time");
  number(*explore, "--limit", command.limit, 1, kMaxExecutions, "How many executions at most")
      ->default_str("");
  duration(*explore, "--time,--budget", command.time, "How long at most: 500ms, 10s, 2m");
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
  command.program.decide = "races";
  choice(*explore, "--decide", command.program.decide, {"sync", "races", "all"},
         "Instrumented: which plain accesses are decision points; races: a few recorded "
         "executions show first which ones race");
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
  if (command.bound && command.order() != "icb")
    return "--bound is for --strategy icb: the others do not count preemptions";
  const bool changed = !command.changes.empty() || !command.patch.empty();
  if (command.program.strategy == "capp" && !changed)
    return "--strategy capp needs to know what changed: --changes OLD..NEW or --patch FILE";
  if (command.program.strategy != "capp" && changed)
    return "--changes and --patch are for --strategy capp";
  const std::size_t dots = command.changes.find("..");
  if (!command.changes.empty() && (dots == 0 || dots == std::string::npos))
    return "--changes takes two revisions: OLD..NEW";
  if (command.resume && command.checkpoint.empty())
    return "--resume needs --checkpoint FILE, the file to go on from";
  return {};
}

}  // namespace raddle
