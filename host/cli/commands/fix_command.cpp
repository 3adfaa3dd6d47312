// raddle fix: from saved executions to the property that forbids what they show, and whether it
// does.
#include <fmt/format.h>

#include <filesystem>

#include "host/base/atomic_file.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/event_names.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/prove_fix.hpp"
#include "host/cli/running/replay_once.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/replay/confirmed_group.hpp"
#include "host/report/fix/fix_report.hpp"
#include "host/report/words/explanation_words.hpp"
#include "host/report/words/headline.hpp"

namespace raddle {
namespace {

constexpr std::chrono::seconds kReplayLimit{30};

// "raddle-out/1.replay" -> "raddle-out/1.mop"
std::string property_beside(const std::string& file) {
  constexpr std::string_view kSuffix = ".replay";
  const bool usual = file.ends_with(kSuffix);
  return (usual ? file.substr(0, file.size() - kSuffix.size()) : file) + ".mop";
}

class FixCommand final : public Subcommand {
 public:
  FixCommand()
      : Subcommand("fix", "Writes the property that forbids what saved executions show",
                   Takes::kReplayFileAndProgram) {}

  void add_options(CLI::App& app) override {
    app.add_option("files", files_, "Replay files of failing or confirmed executions")
        ->required()
        ->type_name("FILE...");
    app.add_option("-o,--output", output_, "The property; default: 1.mop beside 1.replay")
        ->type_name("FILE");
    app.add_flag("--prove", prove_,
                 "Look whether the failures are gone from PROG, which was built with the property");
    duration(app, "--time,--budget", budget_,
             "--prove: how long at most: 500ms, 10s, 2m; a number alone is seconds")
        ->default_str("60s");
    app.add_option("--out", out_, "--prove: folder for replay files")
        ->type_name("DIR")
        ->default_str(out_);
    add_format(app);
  }

  int run() override {
    if (prove_ && program().empty())
      return fail("--prove needs the program with the property: raddle fix --prove FILE -- PROG");
    if (!prove_ && !program().empty())
      return fail("a program after -- is for --prove; the property comes from the files alone");
    if (prove_ && !output_.empty()) return fail("--prove writes no property: leave out -o");
    std::vector<SavedExecution> saved;
    for (const std::string& path : files_) {
      Result<ReplayFile> file = read_replay(path);
      if (!file) return fail(file.error());
      if (!is_failing(file->outcome) && !parse_confirmed_group(file->group))
        return fail(fmt::format(
            "{}: the recorded execution did not fail ({}), and shows nothing that was confirmed: "
            "there is nothing to fix",
            path, outcome_text(file->outcome)));
      saved.push_back({path, std::move(*file)});
    }
    return prove_ ? prove(saved) : write(saved);
  }

 private:
  int write(const std::vector<SavedExecution>& saved) {
    const std::string path = output_.empty() ? property_beside(files_.front()) : output_;
    std::error_code error;
    if (output_.empty() && std::filesystem::exists(path, error))
      return fail(fmt::format("{} exists already; name the property with -o FILE", path));
    if (const Result<bool> writable = check_can_write(path); !writable)
      return fail(fmt::format("cannot write {}: {}; name the property with -o FILE", path,
                              writable.error()));
    FixReport report;
    report.program = saved.front().file.program;
    report.property = path;
    for (const SavedExecution& one : saved) {
      const Result<Fix> fix = fix_against(one, report);
      if (!fix) return fail(fix.error());
      if (report.fix.kind == FixKind::kNone) {
        report.fix = *fix;
      } else if (!merge(report.fix, *fix)) {
        return fail(
            fmt::format("{} needs a property of another kind than {}: write each into a "
                        "file of its own, and give --mop for both",
                        one.path, saved.front().path));
      }
    }
    const auto written =
        write_file_atomically(path, property_text(report.fix, fix_comment(report)));
    if (!written) return fail(written.error());
    return show(document_of(report));
  }

  // Executes it again, to see which functions the places are in.
  static Result<Fix> fix_against(const SavedExecution& saved, FixReport& report) {
    Result<PreparedProgram> prepared = prepare_recorded_program(saved.file);
    if (!prepared) return Error{prepared.error()};
    const Result<ReplayReport> again =
        replay_once(saved.path, saved.file, *prepared, kReplayLimit, stop_on_signals());
    if (!again) return Error{again.error()};
    if (!again->difference.empty())
      return Error{fmt::format("{}: the replay is not what was recorded: {}; record it again",
                               saved.path, again->difference)};
    if (again->explanation.empty() && !again->finding)
      return Error{fmt::format(
          "{}: no property was written: nothing that the execution shows explains how it failed "
          "({}). If it was not built with raddle-c++, build it so: that shows its accesses",
          saved.path, saved.file.message)};
    Fix fix = again->finding ? fix_of(*again->finding) : fix_of(again->explanation);
    if (fix.kind == FixKind::kNone)
      return Error{fmt::format("{}: no property was written: {}", saved.path, fix.why_not)};
    std::string title = again->finding ? again->finding->what : title_words(again->explanation);
    if (title.empty()) title = headline(again->failure);
    report.findings.push_back({saved.path, std::move(title)});
    return fix;
  }

  int prove(const std::vector<SavedExecution>& saved) {
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    for (const SavedExecution& one : saved) {
      if (one.file.program == prepared->target.path &&
          one.file.build_id == prepared->target.build_id)
        return fail(fmt::format(
            "{} is the very program that {} was recorded with; --prove takes the one that was "
            "built with the property",
            program().front(), one.path));
    }
    if (!has_property(prepared->target.path))
      return fail(fmt::format(
          "{} contains no property: build it with raddle-c++ --mop FILE, or link raddle::enforce",
          program().front()));
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    const Result<ProveReport> report =
        prove_fix(saved, *prepared, *folder, budget_, stop_on_signals());
    folder->remove_if_unused();
    if (!report) return fail(report.error());
    return show(document_of(*report));
  }

  std::vector<std::string> files_;
  std::string output_;  // empty: beside the first file
  bool prove_ = false;
  Clock::duration budget_ = std::chrono::seconds(60);
  std::string out_ = "raddle-out";
};

}  // namespace

std::unique_ptr<Subcommand> make_fix_command() { return std::make_unique<FixCommand>(); }

}  // namespace raddle
