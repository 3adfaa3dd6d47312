// raddle explain: what a replay file says of its execution, without running anything.
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/replay/replay_file.hpp"
#include "host/report/explain/explain_report.hpp"

namespace raddle {
namespace {

class ExplainCommand final : public Subcommand {
 public:
  ExplainCommand()
      : Subcommand("explain", "What happened in a saved execution, and why; runs nothing",
                   Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", file_, "The replay file")->required()->type_name("FILE");
    add_format(app);
  }

  int run() override {
    const Result<ReplayFile> file = read_replay(file_);
    if (!file) return fail(file.error());
    const ExplainReport report{file_, *file};
    return show(document_of(report));
  }

 private:
  std::string file_;
};

}  // namespace

std::unique_ptr<Subcommand> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace raddle
