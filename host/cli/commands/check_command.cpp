// raddle check: one execution, with the user's own standard streams, and the detectors on what
// happens in it, while it happens.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/cli/commands/analysis_report.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

int fail(const std::string& error) {
  error_line(error);
  return kBadInput;
}

std::string command_line(const std::vector<std::string>& program) {
  std::string text;
  for (const std::string& word : program) text += " " + shell_quoted(word);
  return text;
}

std::vector<NextCommand> next_commands(const CheckCommand& command) {
  const std::string program = command_line(command.program.program);
  return {{fmt::format("{} check --seed {} --{}", tool_name(), command.program.seed + 1, program),
           "another execution"},
          {fmt::format("{} fuzz --{}", tool_name(), program), "looks for executions that fail"}};
}

nlohmann::ordered_json json_of(const Outcome& outcome, const Analysis& analysis,
                               const FilteredFindings& sifted) {
  nlohmann::ordered_json json = {{"command", "check"}};
  json.update(execution_json(outcome.execution, outcome.failure));
  json.update(analysis_json(analysis, sifted));
  json["stdout"] = outcome.execution.out;
  json["stderr"] = outcome.execution.err;
  return json;
}

std::string text_of(const Outcome& outcome, const Analysis& analysis,
                    const FilteredFindings& sifted) {
  const TextOptions look = text_options(stderr);
  const auto& [execution, failure] = outcome;
  const bool passed = execution.kind == OutcomeKind::kNone;
  std::string text = verdict_text(execution, failure, look);
  if (!passed || !sifted.findings.empty()) text += '\n';
  return text + analysis_text(analysis, sifted, look);
}

}  // namespace

int check_command(const CheckCommand& command) {
  Result<PreparedProgram> prepared = prepare_program(command.program.program);
  if (!prepared) return fail(prepared.error());
  Result<FindingFilter> sieve = FindingFilter::open(command.findings);
  if (!sieve) return fail(sieve.error());
  Result<std::unique_ptr<Pipeline>> pipeline = Pipeline::make(command.findings.analysis);
  if (!pipeline) return fail(pipeline.error());

  Analysis analysis{.options = command.findings,
                    .pipeline = **pipeline,
                    .covered = fmt::format("this one execution: strategy {}, seed {}",
                                           command.program.strategy, command.program.seed),
                    .next = next_commands(command)};
  OnceOptions options;
  options.trace = TraceLevel::kMemory;
  options.listener = [&](Worker& worker) {
    analysis.instrumented = worker.instrumented();
    complain(instrumentation_note(command.program.program[0], command.findings.analysis,
                                  analysis.instrumented));
    TraceHeader header;
    header.program = prepared->command.program;
    header.instrumented = analysis.instrumented;
    (*pipeline)->begin(header);
    return pipeline->get();
  };
  const Result<Outcome> outcome = execute_once(command.program, *prepared, options);
  if (!outcome) return fail(outcome.error());
  analysis.failed = exit_status_of(outcome->execution.kind) == kFailingFound;
  (*pipeline)->end({});

  if (const std::string& problem = outcome->execution.trace_problem; !problem.empty()) {
    error_line(fmt::format(
        "some of what the program did could not be read ({}): did it write where it should not?",
        problem));
  }
  complain(problems_text(analysis));
  if (command.findings.strict && !(*pipeline)->problems().empty()) return kBadInput;
  const FilteredFindings sifted = sieve->sift(**pipeline);
  if (command.program.json) {
    print(json_of(*outcome, analysis, sifted)
              .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
  } else {
    complain(text_of(*outcome, analysis, sifted));
  }
  if (const auto saved = sieve->save(sifted); !saved) return fail(saved.error());
  return sifted.findings.empty() ? exit_status_of(outcome->execution.kind) : kFailingFound;
}

}  // namespace raddle
