// raddle fuzz: many executions, each with its own seed.
#include <fmt/format.h>

#include <memory>

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/fuzz_report.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/progress.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

void waiting_for_input() {
  error_line("reading standard input to its end; give </dev/null if the program needs none");
}

Result<FuzzResult> campaign(const FuzzCommand& command, const PreparedProgram& prepared) {
  const std::atomic<bool>& stop = stop_on_signals();
  Result<UniqueFd> input = repeatable_input(waiting_for_input);
  if (!input) return Error{input.error()};

  Result<Workers> workers =
      start_workers(worker_options(prepared, command.program, input->get()), command.jobs);
  if (!workers) return Error{workers.error()};

  FuzzOptions options;
  options.plan = make_plan(command.program);
  options.first_seed = command.program.seed;
  options.executions = command.executions;
  options.keep_going = command.keep_going;
  if (const StrategyEntry* observed = find_strategy(command.program.observe))
    options.observe = observed->confirms;
  const StrategyEntry* strategy = find_strategy(command.program.strategy);
  options.measure_length = strategy->needs_length && command.program.length == 0;
  options.timeout = command.program.timeout;
  options.stop = &stop;
  Symbolizer symbols;
  ProgressLine progress(command.executions);
  return fuzz(*workers, options, symbols,
              [&](const FuzzCounts& counts, double seconds) { progress.update(counts, seconds); });
}

Result<bool> save_findings(FuzzResult& result, const PreparedProgram& prepared,
                           OutputFolder& folder) {
  for (FailureGroup& finding : result.findings) {
    finding.replay_path = folder.next_replay();
    const ReplayFile file = make_recording(prepared, finding.execution, &finding.failure);
    const auto written = write_replay(finding.replay_path, file);
    if (!written) return Error{written.error()};
  }
  return true;
}

}  // namespace

int fuzz_command(const FuzzCommand& command) {
  const StrategyEntry* strategy = find_strategy(command.program.strategy);
  if (!command.program.observe.empty() && strategy != nullptr && strategy->needs_candidate &&
      command.program.observe != command.program.strategy) {
    error_line(fmt::format("--strategy {} can be observed with --observe {} only",
                           command.program.strategy, command.program.strategy));
    return kBadInput;
  }
  Result<PreparedProgram> prepared = prepare_program(command.program.program);
  if (!prepared) {
    error_line(prepared.error());
    return kBadInput;
  }
  Result<OutputFolder> folder = OutputFolder::open(command.out);
  if (!folder) {
    error_line(folder.error());
    return kBadInput;
  }
  Result<FuzzResult> result = campaign(command, *prepared);
  if (!result) {
    folder->remove_if_unused();
    error_line(result.error());
    return kBadInput;
  }
  // What was found is shown even when it cannot be saved.
  const Result<bool> saved = save_findings(*result, *prepared, *folder);
  folder->remove_if_unused();
  if (command.program.json) {
    print(
        fuzz_json(command, *result).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
        "\n");
  } else {
    print(fuzz_text(command, *result, text_options(stdout)));
  }
  if (!saved) {
    error_line(saved.error());
    return kBadInput;
  }
  return fuzz_exit_status(*result);
}

}  // namespace raddle
