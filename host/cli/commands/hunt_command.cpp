// raddle hunt: finds what could go wrong, makes it happen, explains it.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/campaign/hunt/hunt.hpp"
#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/hunt_report.hpp"
#include "host/cli/running/hunt_state.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/status_line.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/native.hpp"
#include "host/process/outcome.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kLongestNativeRun{10};
constexpr std::size_t kSavedConfirmed = 10;

int fail(const std::string& error) {
  error_line(error);
  return kBadInput;
}

void waiting_for_input() {
  error_line("reading standard input to its end; give </dev/null if the program needs none");
}

// What an earlier hunt knew, checked; an empty state for a new one.
Result<HuntState> earlier_state(const HuntCommand& command, const PreparedProgram& prepared) {
  if (command.resume.empty()) return HuntState{};
  const std::string path = hunt_state_path(command.resume);
  Result<HuntState> state = read_hunt_state(path);
  if (!state) return state;
  const auto same = check_same_hunt(path, *state, prepared);
  if (!same) return Error{same.error()};
  return state;
}

HuntOptions options_of(const HuntCommand& command, const HuntState& earlier,
                       const std::atomic<bool>& stop) {
  ProgramOptions program = command.program;
  // For its blocks; the hunt sets the strategy of each execution.
  program.strategy = strategy_confirming(Confirms::kAtomicity)->name;
  HuntOptions options;
  options.plan = make_plan(program);
  options.first_seed = command.resume.empty() ? command.program.seed : earlier.next_seed;
  options.budget = command.budget;
  options.timeout = command.program.timeout;
  options.stop = &stop;
  options.known = earlier.candidates;
  for (const HuntState::Failure& failure : earlier.failures) {
    options.known_failures.push_back(failure.group);
  }
  return options;
}

class Hunting {
 public:
  Hunting(const HuntCommand& command, PreparedProgram prepared, OutputFolder folder,
          HuntState earlier)
      : command_(command),
        session_(std::move(prepared)),
        folder_(std::move(folder)),
        earlier_(std::move(earlier)) {}

  int run() {
    const std::atomic<bool>& stop = stop_on_signals();
    Result<UniqueFd> input = repeatable_input(waiting_for_input);
    if (!input) return end_with(input.error());
    Result<NativeRun> native = natively(*input, stop);
    if (!native) return end_with(native.error());

    Result<Workers> workers =
        start_workers(worker_options(session_, command_.program, input->get()), command_.jobs);
    if (!workers) return end_with(workers.error());
    Symbolizer symbols;
    StatusLine status;
    const HuntOptions options = options_of(command_, earlier_, stop);
    Result<HuntResult> result = hunt(*workers, options, symbols, [&](const HuntCounts& counts) {
      status.update(phase_text(counts));
    });
    status.clear();
    if (!result) return end_with(result.error());

    const Result<bool> saved = save(*result);
    HuntReport report{command_, *native, *result, seconds(), earlier_.executions, {}};
    report.earlier_failures = not_seen_again(*result);
    report.native_told = is_terminal(stderr) && is_terminal(stdout);
    show(report);
    folder_.remove_if_unused();
    if (!saved) return fail(saved.error());
    return hunt_exit_status(report);
  }

 private:
  int end_with(const std::string& error) {
    folder_.remove_if_unused();
    return fail(error);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Result<NativeRun> natively(const UniqueFd& input, const std::atomic<bool>& stop) {
    NativeOptions options;
    options.input = input.get();
    options.limit = std::min<Clock::duration>(kLongestNativeRun, command_.budget / 4);
    options.ok_exit = command_.program.ok_exit;
    options.stop = &stop;
    Result<NativeRun> native = run_natively(session_.command, options);
    // To whoever looks on at once, since what follows takes its time; a file has it in the report.
    if (native && !command_.program.json && is_terminal(stderr)) {
      if (const std::string text = native_text(*native); !text.empty()) {
        complain(fmt::format("raddle: {}\n", text));
      }
    }
    return native;
  }

  // Replay files, then the state that names them.
  Result<bool> save(HuntResult& result) {
    for (HuntFailure& failure : result.failures) {
      const auto written = write(failure.smallest, &failure.failure, failure.group.replay_path);
      if (!written) return Error{written.error()};
    }
    std::size_t saved = 0;
    for (HuntFinding& one : result.candidates) {
      if (one.level != FindingLevel::kConfirmed || saved++ >= kSavedConfirmed) continue;
      Failure told;  // `raddle minimize' keeps it by this
      told.group = confirmed_group_text(
          confirmed_group(one.finding, one.candidate ? &*one.candidate : nullptr));
      told.headline = one.finding.what;
      const auto written = write(one.execution, &told, one.replay_path);
      if (!written) return Error{written.error()};
    }
    const auto written = write_hunt_state((fs::path(command_.out) / "hunt.json").string(),
                                          state_after(earlier_, session_, result, seconds()));
    if (!written) return Error{written.error()};
    return true;
  }

  Result<std::monostate> write(const Execution& execution, const Failure* failure,
                               std::string& path) {
    path = folder_.next_replay();
    return write_replay(path, make_recording(session_, execution, failure));
  }

  std::vector<std::string> not_seen_again(const HuntResult& result) const {
    std::vector<std::string> paths;
    const fs::path folder = fs::path(hunt_state_path(command_.resume)).parent_path();
    for (const HuntState::Failure& one : earlier_.failures) {
      const bool again = std::any_of(
          result.failures.begin(), result.failures.end(),
          [&](const HuntFailure& failure) { return failure.group.failure.group == one.group; });
      if (!again) paths.push_back((folder / one.replay).string());
    }
    return paths;
  }

  void show(const HuntReport& report) const {
    if (command_.program.json) {
      print(hunt_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    } else {
      print(hunt_text(report, text_options(stdout)));
    }
  }

  const HuntCommand& command_;
  const PreparedProgram session_;
  OutputFolder folder_;
  const HuntState earlier_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

int hunt_command(const HuntCommand& command) {
  Result<PreparedProgram> prepared = prepare_program(command.program.program);
  if (!prepared) return fail(prepared.error());
  Result<HuntState> earlier = earlier_state(command, *prepared);
  if (!earlier) return fail(earlier.error());
  Result<OutputFolder> folder = OutputFolder::open(command.out);
  if (!folder) return fail(folder.error());
  return Hunting(command, std::move(*prepared), std::move(*folder), std::move(*earlier)).run();
}

}  // namespace raddle
