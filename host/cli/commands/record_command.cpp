// raddle record: one execution, with the user's own standard streams, and a trace of it.
#include <fmt/format.h>

#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/trace/trace_writer.hpp"

namespace raddle {
namespace {

struct Recording {
  bool broken = false;  // the file ends before the execution did
  bool instrumented = false;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
};

TraceHeader header_of(const RecordCommand& command, const PreparedProgram& prepared,
                      bool instrumented) {
  TraceHeader header;
  header.raddle_version = RADDLE_VERSION;
  header.program = prepared.command.program;
  header.arguments = prepared.command.arguments;
  header.build_id = prepared.target.build_id;
  header.strategy = command.program.strategy;
  header.seed = command.program.seed;
  header.instrumented = instrumented && !command.sync_only;
  header.origin = "raddle";
  return header;
}

TraceEnd end_of(const Outcome& outcome) {
  TraceEnd end;
  end.complete = !outcome.execution.ended_by_host;
  end.outcome = outcome_text(outcome.execution.kind);
  if (outcome.execution.kind != OutcomeKind::kNone) end.message = outcome.failure.headline;
  return end;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{} kB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

void show(const RecordCommand& command, const Outcome& outcome, const Recording& recording) {
  const auto& [execution, failure] = outcome;
  if (command.program.json) {
    nlohmann::ordered_json json = {{"command", "record"}};
    json.update(execution_json(execution, failure));
    json["stdout"] = execution.out;
    json["stderr"] = execution.err;
    json["trace"] = {{"file", command.file},
                     {"events", recording.events},
                     {"bytes", recording.bytes},
                     {"instrumented", recording.instrumented}};
    print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return;
  }
  const TextOptions look = text_options(stderr);
  std::string text = verdict_text(execution, failure, look);
  if (recording.broken) {
    complain(text);  // what broke it is said last
    return;
  }
  text += fmt::format("raddle: recorded {} events in {}, {}\n", recording.events, command.file,
                      size_text(recording.bytes));
  if (!recording.instrumented) {
    text +=
        "raddle: synchronisation only; build the program with raddle-cc or raddle-c++ to see its\n"
        "        memory accesses and functions too\n";
  }
  text += fmt::format("   see      {} trace {}\n", tool_name(), shell_quoted(command.file));
  complain(text);
}

}  // namespace

int record_command(const RecordCommand& command) {
  Result<PreparedProgram> prepared = prepare_program(command.program.program);
  if (!prepared) {
    error_line(prepared.error());
    return kBadInput;
  }
  Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(command.file);
  if (!writer) {
    error_line(writer.error());
    return kBadInput;
  }
  TraceWriter& trace = **writer;
  Recording recording;
  OnceOptions options;
  options.trace = command.sync_only ? TraceLevel::kSync : TraceLevel::kMemory;
  options.recorder = [&](Worker& worker) {
    recording.instrumented = worker.instrumented();
    trace.begin(header_of(command, *prepared, recording.instrumented));
    return &trace;
  };
  Result<Outcome> outcome = execute_once(command.program, *prepared, options);
  if (!outcome) {
    error_line(outcome.error());
    return kBadInput;
  }
  trace.end(end_of(*outcome));
  recording.events = outcome->execution.traced;
  recording.bytes = trace.byte_count();
  recording.broken = trace.error().has_value();
  show(command, *outcome, recording);
  if (const std::optional<Error> error = trace.error()) {
    error_line(error->message);
    return kBadInput;
  }
  return exit_status_of(outcome->execution.kind);
}

}  // namespace raddle
