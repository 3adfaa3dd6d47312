// raddle minimize: the same finding with as few switches as possible.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/campaign/failures/explain.hpp"
#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/campaign/minimize/minimize.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/status_line.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/explanation_text.hpp"

namespace raddle {
namespace {

constexpr std::chrono::milliseconds kSavePeriod{200};

int fail(const std::string& error) {
  error_line(error);
  return kBadInput;
}

void waiting_for_input() {
  error_line("reading standard input to its end; give </dev/null if the program needs none");
}

// "1.replay" -> "1.min.replay"
std::string beside(const std::string& file) {
  constexpr std::string_view kSuffix = ".replay";
  const bool usual = file.ends_with(kSuffix);
  return (usual ? file.substr(0, file.size() - kSuffix.size()) : file) + ".min.replay";
}

// Writes what was found so far, now and then and at the end: nothing is lost when the process is.
class Saver {
 public:
  Saver(const ReplayFile& recorded, std::string path)
      : recorded_(recorded), path_(std::move(path)) {}

  void better(const Execution& execution) {
    if (Clock::now() < next_) return;
    save(execution);
    next_ = Clock::now() + kSavePeriod;
  }
  void save(const Execution& execution) {
    ReplayFile file = recorded_;
    file.raddle_version = RADDLE_VERSION;
    file.log = execution.log;
    const auto written = write_replay(path_, file);
    error_ = written ? std::string() : written.error();
  }
  const std::string& error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  const ReplayFile& recorded_;
  const std::string path_;
  Clock::time_point next_{};
  std::string error_;
};

std::string arrow(std::uint64_t before, std::uint64_t after, const char* noun, const char* plural) {
  return fmt::format("{} -> {} {}", grouped(before), grouped(after), after == 1 ? noun : plural);
}

std::string costs(const Minimized& result) {
  const auto& [before, after] = std::pair(result.before, result.after);
  return fmt::format("{}, {}, {}",
                     arrow(before.preemptions, after.preemptions, "preemption", "preemptions"),
                     arrow(before.switches, after.switches, "switch", "switches"),
                     arrow(before.steps, after.steps, "step", "steps"));
}

const char* end_text(MinimizeEnd end) {
  switch (end) {
    case MinimizeEnd::kComplete:
      return "";
    case MinimizeEnd::kTime:
      return "; out of time (--time), so that it may not be the smallest";
    case MinimizeEnd::kInterrupted:
      return "; interrupted, so that it may not be the smallest";
  }
  return "";
}

std::string text_of(const Minimized& result, const Explained& explained, const std::string& path,
                    const TextOptions& look) {
  std::string text = paragraph(fmt::format("raddle: minimized: {}; {}, {}{}", costs(result),
                                           counted(result.executions, "execution"),
                                           duration_text(result.seconds), end_text(result.end)),
                               static_cast<std::size_t>(look.width), 0);
  text += is_failing(result.execution.kind)
              ? explained_text(explained.failure, explained.explanation, look)
              : explanation_text(explained.explanation, explained.failure, look);
  text += program_output(result.execution, look);
  const std::string file = shell_quoted(path);
  return text + fmt::format("\n   again    {0} replay {1}\n   in gdb   {0} replay --gdb {1}\n",
                            tool_name(), file);
}

nlohmann::ordered_json cost_json(const ScheduleCost& cost) {
  return {{"preemptions", cost.preemptions}, {"switches", cost.switches}, {"steps", cost.steps}};
}

std::string json_of(const MinimizeCommand& command, const Minimized& result,
                    const Explained& explained, const std::string& path) {
  nlohmann::ordered_json json = {{"command", "minimize"}, {"file", command.file}, {"replay", path}};
  json["before"] = cost_json(result.before);
  json["after"] = cost_json(result.after);
  json["executions"] = result.executions;
  json["complete"] = result.end == MinimizeEnd::kComplete;
  json["interrupted"] = result.end == MinimizeEnd::kInterrupted;
  json["minimize_seconds"] = result.seconds;
  json.update(execution_json(result.execution, explained.failure));
  json["explanation"] = explanation_json(explained.explanation);
  json["stdout"] = result.execution.out;
  json["stderr"] = result.execution.err;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int gone(const MinimizeCommand& command, const std::string& how) {
  if (command.json) {
    const nlohmann::ordered_json json = {
        {"command", "minimize"}, {"file", command.file}, {"replay", nullptr}, {"gone", how}};
    print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    print(paragraph(fmt::format("raddle: {} no longer fails as recorded: {}. Nothing was "
                                "minimized. See `{} replay {}'.",
                                command.file, how, tool_name(), shell_quoted(command.file)),
                    static_cast<std::size_t>(text_options(stdout).width), 0));
  }
  return kInconclusiveEnd;
}

}  // namespace

int minimize_command(const MinimizeCommand& command) {
  Result<ReplayFile> file = read_replay(command.file);
  if (!file) return fail(file.error());
  const bool failing = is_failing(file->outcome);
  const std::optional<ConfirmedGroup> group = parse_confirmed_group(file->group);
  const std::optional<SoughtFinding> confirmed = group ? sought_in(*group) : std::nullopt;
  if (!failing && !confirmed) {
    return fail(
        fmt::format("{}: the recorded execution did not fail ({}): there is nothing to keep",
                    command.file, outcome_text(file->outcome)));
  }
  Result<PreparedProgram> prepared = prepare_recorded_program(*file);
  if (!prepared) return fail(prepared.error());
  const std::string path = command.out.empty() ? beside(command.file) : command.out;
  if (const Result<bool> writable = check_can_create(path); !writable) {
    return fail(fmt::format("cannot write {}: {}; choose another with -o", path, writable.error()));
  }

  const std::atomic<bool>& stop = stop_on_signals();
  Result<UniqueFd> input = repeatable_input(waiting_for_input);
  if (!input) return fail(input.error());
  Result<std::unique_ptr<Worker>> worker =
      Worker::start(worker_options(*prepared, *file, input->get()));
  if (!worker) return fail(worker.error());

  Symbolizer symbols;
  const std::unique_ptr<Criterion> keep =
      failing ? std::unique_ptr<Criterion>(
                    std::make_unique<FailureCriterion>(file->outcome, file->group, symbols))
              : std::make_unique<FindingCriterion>(*confirmed);
  Saver saver(*file, path);
  StatusLine status;
  MinimizeOptions options;
  options.time = command.time;
  options.timeout = command.timeout;
  options.stop = &stop;
  options.better = [&](const Execution& execution, const ScheduleCost& cost) {
    saver.better(execution);
    status.update(fmt::format("minimizing: {}, {}", counted(cost.preemptions, "preemption"),
                              counted(cost.steps, "step")));
  };
  Result<Minimized> result = minimize(**worker, recorded_execution(*file), *keep, options);
  status.clear();
  if (!result) return fail(result.error());
  if (!result->gone.empty()) return gone(command, result->gone);
  saver.save(result->execution);
  const Explained explained = explained_by(**worker, result->execution, symbols);
  print(command.json ? json_of(command, *result, explained, path)
                     : text_of(*result, explained, path, text_options(stdout)));
  if (!saver.error().empty()) return fail(saver.error());
  return kFailingFound;  // confirmed or failing
}

}  // namespace raddle
