#include "host/cli/commands/subcommand.hpp"

#include <fmt/format.h>

#include "host/cli/options/option_kinds.hpp"
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

int Subcommand::show(const Document& document) const {
  const bool beside = document.beside_program && !captures_output();
  const std::string text = format_->write(document, text_options(beside ? stderr : stdout));
  if (beside) {
    complain(text);
  } else {
    print(text);
  }
  return exit_status(document.verdict);
}

}  // namespace raddle
