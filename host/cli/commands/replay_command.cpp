// raddle replay: a recorded execution once more, each step checked.
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/gdb.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/replay_once.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/replay_report.hpp"

namespace raddle {
namespace {

class ReplayCommand final : public Subcommand {
 public:
  ReplayCommand()
      : Subcommand("replay", "A saved execution again, each step checked", Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", file_, "The replay file")->required()->type_name("FILE");
    app.add_flag("--gdb", gdb_, "In the debugger, with ordinary threads");
    choice(app, "--carrier", carrier_, {"fiber", "kernel"}, "Another carrier than recorded");
    duration(app, "--timeout", timeout_, "Time limit: 500ms, 10s, 2m");
    add_format(app);
    app.get_option("--json")->excludes("--gdb");
  }

  std::string conflict() const override {
    return gdb_ && captures_output() ? "--format is for the result, and --gdb has none" : "";
  }

  int run() override {
    Result<ReplayFile> file = read_replay(file_);
    if (!file) return fail(file.error());
    Result<PreparedProgram> prepared = prepare_recorded_program(*file);
    if (!prepared) return fail(prepared.error());
    if (!carrier_.empty()) file->plan.carrier = carrier_of(carrier_);
    if (gdb_) return replay_in_gdb(*file, *prepared);

    const Result<ReplayReport> report =
        replay_once(file_, *file, *prepared, timeout_, stop_on_signals());
    if (!report) return fail(report.error());
    return show(document_of(*report));
  }

 private:
  std::string file_;
  bool gdb_ = false;
  std::string carrier_;  // empty: as recorded
  Clock::duration timeout_{};
};

}  // namespace

std::unique_ptr<Subcommand> make_replay_command() { return std::make_unique<ReplayCommand>(); }

}  // namespace raddle
