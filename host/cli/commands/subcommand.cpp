#include "host/cli/commands/subcommand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/atomic_file.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {

void Subcommand::offer(Formats formats) {
  formats_ = formats;
  format_ = formats.front();
}

void Subcommand::add_format(CLI::App& app, const std::string& json_help) {
  const auto name_json = [this] { format_ = short_form_ = find_format(formats_, "json"); };
  app.add_flag_callback("--json", name_json, json_help);
  std::vector<std::string> names;
  std::string help = "How the result is printed:";
  for (const Format* format : formats_) {
    names.emplace_back(format->name);
    help += fmt::format("{} {} ({})", names.size() > 1 ? "," : "", format->name, format->summary);
  }
  // CLI11 calls them in the order in which they were added: this one comes after --json.
  const auto take = [this](const std::string& name) {
    format_ = find_format(formats_, name);
    if (short_form_ != nullptr && short_form_ != format_)
      throw CLI::ValidationError("--format", fmt::format("`{}' contradicts --json", name));
  };
  choice(app, "--format", names, help, take)->default_str(names.front());
}

void Subcommand::add_reports(CLI::App& app) {
  add_format(app);
  for (const Format* format : formats_) {
    if (format->to_file == nullptr) continue;
    const auto take = [this, format](const std::string& path) {
      if (path.empty()) throw CLI::ValidationError("--" + std::string(format->name), "no file");
      reports_.push_back({format, path});
    };
    app.add_option_function<std::string>(
           "--" + std::string(format->name), take,
           fmt::format("Also write the result to a file: {}, {}", format->summary, format->to_file))
        ->type_name("FILE");
  }
  app.add_option("--source-root", source_root_,
                 "Folder that the files in reports are named from (default: the nearest one "
                 "upwards with .git, else this one)")
      ->type_name("DIR");
  app.add_flag("--no-source", no_source_, "Reports hold no lines of the program's source");
}

bool Subcommand::writes(std::string_view format) const {
  if (format == format_->name) return true;
  return std::any_of(reports_.begin(), reports_.end(),
                     [&](const ReportFile& report) { return format == report.format->name; });
}

Result<bool> Subcommand::check_reports() const {
  for (const ReportFile& report : reports_) {
    const Result<bool> writable = check_can_write(report.path);
    if (!writable) {
      return Error{fmt::format("cannot write --{} {}: {}", report.format->name, report.path,
                               writable.error())};
    }
  }
  return true;
}

int Subcommand::show(Document document) const {
  document.source_root = source_root_;
  document.with_sources = document.with_sources && !no_source_;
  if (document.arguments.empty() && program_.size() > 1)
    document.arguments.assign(program_.begin() + 1, program_.end());
  document.command_line = command_line_;
  if (document.build.empty() && !program_.empty()) document.build = build_words(program_.front());
  const bool beside = document.beside_program && !captures_output();
  const std::string text = format_->write(document, text_options(beside ? stderr : stdout));
  if (beside) {
    complain(text);
  } else {
    print(text);
  }
  int status = exit_status(document.verdict);
  for (const ReportFile& report : reports_) {
    const auto written =
        write_file_atomically(report.path, report.format->write(document, TextOptions{}));
    if (!written) status = fail(written.error());
  }
  return status;
}

}  // namespace raddle
