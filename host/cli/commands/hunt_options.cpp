#include "host/cli/commands/hunt_options.hpp"

#include <filesystem>
#include <limits>

#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/hunt_state.hpp"

namespace raddle {

CLI::App* add_hunt_command(CLI::App& app, HuntCommand& command) {
  ProgramOptions& options = command.program;
  options.timeout = std::chrono::seconds(30);
  options.decide = "races";
  CLI::App* hunt = app.add_subcommand(
      "hunt", "Finds what could go wrong, makes it happen, and explains it: the main job");
  set_usage(*hunt, "raddle hunt [OPTIONS] -- PROG ARGS");
  duration(*hunt, "--budget,--time", command.budget, "How long to hunt: 10s, 2m, 1h")
      ->default_str("60s");
  number(*hunt, "-j,--jobs", command.jobs, 1, 256, "How many executions at the same time");
  hunt->add_option("--out", command.out, "Folder for replay files and hunt.json")
      ->type_name("DIR")
      ->default_str(command.out);
  hunt->add_option("--resume", command.resume,
                   "Go on where the hunt of this folder stopped; --out is this folder, then")
      ->type_name("DIR");
  hunt->parse_complete_callback([hunt, &command] {
    if (command.resume.empty() || hunt->count("--out") > 0) return;
    command.out = std::filesystem::path(hunt_state_path(command.resume)).parent_path().string();
  });
  hunt->add_flag("--failing-only", command.failing_only,
                 "Exit with 1 only if something fails; what is confirmed is listed all the same");
  hunt->add_flag("--all", command.all, "Also list the candidates that were not confirmed");
  number(*hunt, "--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max() / 2,
         "First seed; the next ones follow");
  choice(*hunt, "--decide", options.decide, {"sync", "races", "all"},
         "Which plain memory accesses are decision points, too");
  choice(*hunt, "--carrier", options.carrier, {"fiber", "kernel"},
         "What threads run on; the choices are the same");
  choice(*hunt, "--clock", options.clock, {"steady", "adversarial"},
         "adversarial: a timed wait may end at any time");
  hunt->add_flag("--spurious-wakeups", options.spurious_wakeups,
                 "Condition waits may return without a signal");
  number(*hunt, "--max-steps", options.max_steps, 1, kMaxMaxSteps, "Limit of decision points");
  duration(*hunt, "--timeout", options.timeout, "Time limit of an execution: 500ms, 10s, 2m")
      ->default_str("30s");
  add_exit_codes(*hunt, options.ok_exit);
  hunt->add_flag("--json", options.json, "Print one JSON object instead of text");
  return hunt;
}

}  // namespace raddle
