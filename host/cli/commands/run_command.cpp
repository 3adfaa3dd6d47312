// raddle run: one execution, with the user's own standard streams.
#include <fmt/format.h>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/run_report.hpp"

namespace raddle {
namespace {

class RunCommand final : public Subcommand {
 public:
  RunCommand()
      : Subcommand("run", "One execution, with your terminal's input and output", Takes::kProgram) {
  }

  void add_options(CLI::App& app) override {
    add_seed(app, options_, "Seed of the strategy");
    add_strategy(app, options_, false);
    add_limits(app, options_);
    add_format(app);
    add_decide(app, options_, true);
    add_atom(app, options_);
    app.add_option("--save", save_, "Write a replay file, also if it passes")->type_name("FILE");
  }

  int run() override {
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    if (!save_.empty()) {
      if (const Result<bool> writable = check_can_write(save_); !writable) {
        return fail(fmt::format("cannot write {}: {}; choose another file with --save", save_,
                                writable.error()));
      }
    }
    const OnceOptions once{.captured = captures_output(), .keep_log = !save_.empty()};
    Result<Outcome> outcome = execute_once(options_, *prepared, once);
    if (!outcome) return fail(outcome.error());
    const auto& [execution, failure] = *outcome;
    if (!save_.empty()) {
      const bool passed = execution.kind == OutcomeKind::kNone;
      const RecordedFinding finding = passed ? RecordedFinding{} : recorded(failure);
      const auto written = write_replay(save_, make_recording(*prepared, execution, finding));
      if (!written) return fail(written.error());
    }
    const RunReport report{program().front(), execution, failure, save_};
    return show(document_of(report));
  }

 private:
  ProgramOptions options_;
  std::string save_;
};

}  // namespace

std::unique_ptr<Subcommand> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace raddle
