// raddle replay: a recorded execution once more, each step checked.
#include <fmt/format.h>

#include <algorithm>

#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/gdb.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/finding_json.hpp"
#include "host/report/finding_text.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

struct Replayed {
  Execution execution;
  Failure failure;
  Explanation explanation;
  std::optional<FindingStory> finding;  // that was confirmed when it was recorded
  std::string difference;               // why this is not the recorded execution; empty if it is
};

void waiting_for_input() {
  error_line("reading standard input to its end; give </dev/null if the program needs none");
}

// How the replay differs from the recording although every step agreed.
std::string difference(const ReplayFile& file, const Execution& execution, const Failure& failure) {
  if (execution.kind == OutcomeKind::kDiverged) return failure.headline;
  if (execution.kind != file.outcome) {
    return fmt::format("recorded was {} ({}), now it is {} ({})", outcome_text(file.outcome),
                       file.outcome == OutcomeKind::kNone ? "nothing failed" : file.message,
                       outcome_text(execution.kind),
                       execution.kind == OutcomeKind::kNone ? "nothing failed" : failure.headline);
  }
  if (execution.steps != file.log.size()) {
    return fmt::format("the recording has {}, the replay ended after {}",
                       counted(file.log.size(), "step"), grouped(execution.steps));
  }
  if (execution.log_hash != log_hash(file.log)) return "the choice logs differ";
  return {};
}

Result<Replayed> execute(const ReplayCommand& command, const ReplayFile& file,
                         const PreparedProgram& prepared) {
  const std::atomic<bool>& stop = stop_on_signals();
  Result<UniqueFd> input = repeatable_input(waiting_for_input);
  if (!input) return Error{input.error()};
  Result<std::unique_ptr<Worker>> worker =
      Worker::start(worker_options(prepared, file, input->get()));
  if (!worker) return Error{worker.error()};
  RunOptions running;
  running.timeout = command.timeout;
  running.stop = &stop;
  KeptTrace trace;
  running.events = &trace;
  Result<Execution> execution =
      replay_strictly(**worker, recorded_execution(file), running, ReplayDetail::kFull);
  if (!execution) return Error{execution.error()};
  Symbolizer symbols;
  Failure failure = describe(*execution, symbols);
  std::string differs = difference(file, *execution, failure);
  Explanation explanation;
  if (differs.empty() && is_failing(execution->kind)) {
    explanation = explain(trace, failure, symbols);
  }
  std::optional<FindingStory> finding;
  if (differs.empty() && !is_failing(execution->kind)) {
    const std::optional<ConfirmedGroup> group = parse_confirmed_group(file.group);
    if (group) finding = confirmed_story(*group, file.plan, trace);
  }
  return Replayed{std::move(*execution), std::move(failure), std::move(explanation),
                  std::move(finding), std::move(differs)};
}

// What was confirmed by an execution that did not fail. The words of the file are anybody's.
std::string confirmed_text(const ReplayFile& file, const Replayed& replayed,
                           const TextOptions& look) {
  if (replayed.finding) return "\n" + finding_text(1, *replayed.finding, 0, look) + "\n";
  if (file.message.empty()) return {};
  constexpr std::size_t kMostWords = 400;
  return paragraph("Recorded as confirmed: " + printable(file.message.substr(0, kMostWords)),
                   static_cast<std::size_t>(look.width), 3);
}

std::string replay_text(const ReplayCommand& command, const ReplayFile& file,
                        const Replayed& replayed, const TextOptions& look) {
  const auto& [execution, failure, explanation, finding, differs] = replayed;
  std::string text;
  if (!differs.empty()) {
    text = fmt::format("raddle: {}: {}\n", bold("diverged", look), execution_facts(execution));
    text += paragraph(differs, static_cast<std::size_t>(look.width), 3);
    text += paragraph(
        "The program does something that Raddle does not decide: time of day, random "
        "numbers, other input, files or processes. Record it again with the same input.",
        static_cast<std::size_t>(look.width), 3);
    return text + program_output(execution, look);
  }
  text = fmt::format(
      "raddle: {}, as recorded: {}\n",
      bold(execution.kind == OutcomeKind::kNone ? "passed" : outcome_text(execution.kind), look),
      execution_facts(execution));
  if (execution.kind != OutcomeKind::kNone) {
    text += explained_text(failure, explanation, look);
  } else {
    text += confirmed_text(file, replayed, look);
  }
  text += program_output(execution, look);
  text += fmt::format("   in gdb   {} replay --gdb {}\n", tool_name(), shell_quoted(command.file));
  return text;
}

void show(const ReplayCommand& command, const ReplayFile& file, const Replayed& replayed) {
  if (!command.json) return print(replay_text(command, file, replayed, text_options(stdout)));
  nlohmann::ordered_json json = {{"command", "replay"}, {"replay", command.file}};
  json["recorded_outcome"] = outcome_text(file.outcome);
  json["same"] = replayed.difference.empty();
  json["difference"] = replayed.difference;
  json["diverged_step"] = nullptr;
  if (replayed.execution.kind == OutcomeKind::kDiverged) {
    json["diverged_step"] = replayed.execution.report->diverged_step;
  }
  json.update(execution_json(replayed.execution, replayed.failure));
  json["explanation"] = explanation_json(replayed.explanation);
  json["confirmed"] = nullptr;
  if (replayed.finding) json["confirmed"] = finding_json(*replayed.finding);
  json["stdout"] = replayed.execution.out;
  json["stderr"] = replayed.execution.err;
  print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace

int replay_command(const ReplayCommand& command) {
  Result<ReplayFile> file = read_replay(command.file);
  if (!file) {
    error_line(file.error());
    return kBadInput;
  }
  Result<PreparedProgram> prepared = prepare_recorded_program(*file);
  if (!prepared) {
    error_line(prepared.error());
    return kBadInput;
  }
  if (!command.carrier.empty()) file->plan.carrier = carrier_of(command.carrier);
  if (command.gdb) return replay_in_gdb(*file, *prepared);

  Result<Replayed> replayed = execute(command, *file, *prepared);
  if (!replayed) {
    error_line(replayed.error());
    return kBadInput;
  }
  show(command, *file, *replayed);
  return replayed->difference.empty() ? exit_status_of(replayed->execution.kind) : kInconclusiveEnd;
}

}  // namespace raddle
