// raddle replay: a recorded execution once more, each step checked.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "host/base/printable.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/gdb.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/replay_once.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/replay_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

class ReplayCommand final : public Subcommand {
 public:
  ReplayCommand()
      : Subcommand("replay", "A saved execution again, each step checked", Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", file_, "The replay file")->required()->type_name("FILE");
    app.add_flag("--gdb", gdb_, "In the debugger, with ordinary threads");
    app.add_option_function<std::string>(
           "--gdbserver", [this](const std::string& text) { listen_ = address(text); },
           "In gdbserver, for the debugger of an editor: a port of this machine, or HOST:PORT")
        ->type_name("PORT")
        ->excludes("--gdb");
    app.add_option("--program", program_,
                   "The same build of the program where it lies here; if its recorded folder is "
                   "not here, it runs in the current one")
        ->type_name("PATH");
    choice(app, "--carrier", carrier_, {"fiber", "kernel"}, "Another carrier than recorded");
    duration(app, "--timeout", timeout_,
             "Time limit: 500ms, 10s, 2m (none, or 10s if the execution had been cut off)");
    add_format(app);
    app.get_option("--json")->excludes("--gdb")->excludes("--gdbserver");
  }

  std::string conflict() const override {
    return debugs() && captures_output() ? "--format is for the result, and a debugger has none"
                                         : "";
  }

  int run() override {
    Result<ReplayFile> file = read_replay(file_);
    if (!file) return fail(file.error());
    if (const std::string problem = locate(*file); !problem.empty()) return fail(problem);
    Result<PreparedProgram> prepared = prepare_recorded_program(*file);
    if (!prepared) return fail(prepared.error());
    if (!carrier_.empty()) file->plan.carrier = carrier_of(carrier_);
    if (debugs()) return replay_in_gdb(*file, *prepared, listen_);

    const Result<ReplayReport> report =
        replay_once(file_, *file, *prepared, timeout_, stop_on_signals());
    if (!report) return fail(report.error());
    return show(document_of(*report));
  }

 private:
  // Where the program lies on this machine, which may be another one than that of the recording.
  // Says why it cannot be executed here.
  std::string locate(ReplayFile& file) const {
    std::error_code error;
    if (program_.empty()) {
      if (std::filesystem::exists(file.program, error)) return {};
      return fmt::format(
          "the recorded program {} is not here; --program PATH names the same build elsewhere, and "
          "`raddle explain {}' shows what happened without executing it",
          printable(file.program), shell_quoted(file_));
    }
    if (!file.image.empty()) {
      return fmt::format("--program cannot stand for {}, which {} started", printable(file.image),
                         printable(file.program));
    }
    file.program = std::filesystem::absolute(program_, error).lexically_normal().string();
    if (!std::filesystem::is_directory(file.directory, error))
      file.directory = std::filesystem::current_path(error).string();
    return {};
  }

  bool debugs() const { return gdb_ || !listen_.empty(); }

  // Whoever reaches the port can do anything to the program, so it is on loopback unless told
  // otherwise.
  static std::string address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
    unsigned number = 0;
    const char* end = port.data() + port.size();
    const auto [rest, error] = std::from_chars(port.data(), end, number);
    if (error != std::errc() || rest != end || number < 1 || number > 65535 || colon == 0)
      throw CLI::ValidationError("--gdbserver",
                                 fmt::format("`{}' is neither a port nor HOST:PORT", text));
    return colon == std::string::npos ? "127.0.0.1:" + port : text;
  }

  std::string file_;
  std::string listen_;  // HOST:PORT; empty: no gdbserver
  bool gdb_ = false;
  std::string program_;  // empty: the recorded one
  std::string carrier_;  // empty: as recorded
  Clock::duration timeout_{};
};

}  // namespace

std::unique_ptr<Subcommand> make_replay_command() { return std::make_unique<ReplayCommand>(); }

}  // namespace raddle
