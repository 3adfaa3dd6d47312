// raddle run: one execution, with the user's own standard streams.
#include <fmt/format.h>

#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

void show(const RunCommand& command, const Outcome& outcome) {
  const auto& [execution, failure] = outcome;
  if (command.program.json) {
    nlohmann::ordered_json json = {{"command", "run"}};
    json.update(execution_json(execution, failure));
    json["stdout"] = execution.out;
    json["stderr"] = execution.err;
    json["replay"] = nullptr;
    if (!command.save.empty()) json["replay"] = command.save;
    print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return;
  }
  const TextOptions look = text_options(stderr);
  std::string text = verdict_text(execution, failure, look);
  if (!command.save.empty()) {
    text += fmt::format("   again    {} replay {}\n", tool_name(), shell_quoted(command.save));
  }
  complain(text);
}

}  // namespace

int run_command(const RunCommand& command) {
  Result<PreparedProgram> prepared = prepare_program(command.program.program);
  if (!prepared) {
    error_line(prepared.error());
    return kBadInput;
  }
  if (!command.save.empty()) {
    if (Result<bool> writable = check_can_create(command.save); !writable) {
      error_line(fmt::format("cannot write {}: {}; choose another file with --save", command.save,
                             writable.error()));
      return kBadInput;
    }
  }
  OnceOptions options;
  options.keep_log = !command.save.empty();
  Result<Outcome> outcome = execute_once(command.program, *prepared, options);
  if (!outcome) {
    error_line(outcome.error());
    return kBadInput;
  }
  const bool passed = outcome->execution.kind == OutcomeKind::kNone;
  if (!command.save.empty()) {
    const ReplayFile file =
        make_recording(*prepared, outcome->execution, passed ? nullptr : &outcome->failure);
    if (const auto written = write_replay(command.save, file); !written) {
      error_line(written.error());
      return kBadInput;
    }
  }
  show(command, *outcome);
  return exit_status_of(outcome->execution.kind);
}

}  // namespace raddle
