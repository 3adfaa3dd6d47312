// raddle report: one page of replay files, traces and the folders that hold them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/base/atomic_file.hpp"
#include "host/base/printable.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/trace_input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/replay_once.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/document/trace_rows.hpp"
#include "host/report/explain/explain_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kLongestReplay{30};

class ReportCommand final : public Subcommand {
 public:
  ReportCommand()
      : Subcommand("report", "One page for a browser, of saved executions and traces",
                   Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("files", paths_, "Replay files, traces, and folders with such files")
        ->type_name("DIR|FILE...")
        ->default_str("raddle-out");
    app.add_option("-o,--output", output_, "The page")->type_name("FILE")->default_str(output_);
    app.add_flag("--no-source", no_source_, "Without lines of the program's source");
    duration(app, "--timeout", timeout_, "Time limit of a replay")->default_str("30s");
    add_format(app);
  }

  int run() override {
    const Result<bool> writable = check_can_write(output_);
    if (!writable) return fail(fmt::format("cannot write {}: {}", output_, writable.error()));
    if (paths_.empty()) paths_ = {"raddle-out"};
    const Result<std::vector<std::string>> files = all_files();
    if (!files) return fail(files.error());
    for (const std::string& file : *files) {
      if (stop_on_signals().load()) break;
      add(file);
    }
    if (document_.findings.empty() && document_.traces.empty() && !document_.problems.empty())
      document_.verdict = DocumentVerdict::kBadInput;
    finish(files->size());
    const auto written =
        write_file_atomically(output_, find_format(formats(), "html")->write(document_, {}));
    if (!written) return fail(written.error());
    return show(document_);
  }

 private:
  // Those that were named, and those in the folders that were named, in order.
  Result<std::vector<std::string>> all_files() const {
    std::vector<std::string> files;
    for (const std::string& path : paths_) {
      std::error_code error;
      if (!fs::exists(path, error))
        return Error{fmt::format("there is no file or folder {}", printable(path))};
      if (!fs::is_directory(path, error)) {
        files.push_back(path);
        continue;
      }
      std::vector<std::string> found;
      for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
        const std::string name = entry.path().string();
        if (name.ends_with(".replay") || name.ends_with(".trace")) found.push_back(name);
      }
      std::ranges::sort(found, [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;  // 2.replay before 10.replay
      });
      files.insert(files.end(), found.begin(), found.end());
    }
    return files;
  }

  void problem(const std::string& text) { document_.problems.push_back(printable(text)); }

  void add(const std::string& file) {
    if (has_trace_magic(file)) return add_trace(file);
    const Result<ReplayFile> read = read_replay(file);
    if (!read) return problem(read.error());
    const Result<PreparedProgram> prepared = prepare_recorded_program(*read);
    if (!prepared) return add_told(file, *read, prepared.error());
    const Result<ReplayReport> report =
        replay_once(file, *read, *prepared, timeout_, stop_on_signals(), true);
    if (!report) return problem(fmt::format("{}: {}", file, report.error()));
    Document one = document_of(*report);
    if (one.verdict == DocumentVerdict::kInconclusive &&
        document_.verdict != DocumentVerdict::kFound)
      document_.verdict = one.verdict;
    for (const std::string& note : one.notes) problem(fmt::format("{}: {}", file, note));
    if (one.findings.empty()) {
      if (one.notes.empty()) document_.notes.push_back(printable(file) + " passes");
      return;
    }
    add_findings(*read, one);
  }

  void add_findings(const ReplayFile& file, Document& one) {
    document_.verdict = DocumentVerdict::kFound;
    document_.program = file.program;
    document_.build = file.build_id.empty() ? "" : "build id " + file.build_id;
    document_.arguments.assign(file.arguments.begin() + (file.arguments.empty() ? 0 : 1),
                               file.arguments.end());
    std::ranges::move(one.findings, std::back_inserter(document_.findings));
  }

  // The program is not here, or not as it was: what the file itself says of the execution.
  void add_told(const std::string& path, const ReplayFile& file, const std::string& why) {
    problem(fmt::format("{}: {}", path, why));
    const ExplainReport report{path, file};
    Document one = document_of(report);
    if (!one.findings.empty()) add_findings(file, one);
  }

  void add_trace(const std::string& file) {
    TraceRows rows;
    const Result<ReadSummary> summary = read_input({.file = file, .salvage = true}, rows);
    if (!summary) return problem(summary.error());
    const std::uint64_t left_out = rows.left_out();
    DocumentTrace trace = rows.take(printable(file));
    if (summary->damage) {
      trace.problem = fmt::format("damaged at byte {}: {}; what came before it is shown",
                                  summary->damage->offset, printable(summary->damage->what));
      problem(fmt::format("{}: {}", file, trace.problem));
    } else if (left_out > 0) {
      trace.problem = fmt::format("the last {} are left out", counted(left_out, "event"));
    }
    if (document_.program.empty()) document_.program = printable(summary->header.program);
    document_.traces.push_back(std::move(trace));
  }

  void finish(std::size_t files) {
    document_.command = name();
    document_.command_line = command_line();
    document_.with_sources = !no_source_;
    if (document_.program.empty()) document_.program = printable(paths_.front());
    document_.counts = {{"files", files},
                        {"findings", document_.findings.size()},
                        {"traces", document_.traces.size()},
                        {"problems", document_.problems.size()}};
    document_.covered = "what the files hold";
    document_.text = [this](const TextOptions&) {
      std::string text;
      for (const std::string& words : document_.problems)
        text += fmt::format("raddle: {}\n", words);
      return text + fmt::format("{}: {}, {}\n", output_,
                                counted(document_.findings.size(), "finding"),
                                counted(document_.traces.size(), "trace"));
    };
    document_.json = [this] {
      return nlohmann::ordered_json{{"command", name()},
                                    {"page", output_},
                                    {"findings", document_.findings.size()},
                                    {"traces", document_.traces.size()},
                                    {"problems", document_.problems}};
    };
  }

  std::vector<std::string> paths_;
  std::string output_ = "report.html";
  bool no_source_ = false;
  Clock::duration timeout_ = kLongestReplay;
  Document document_;
};

}  // namespace

std::unique_ptr<Subcommand> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace raddle
