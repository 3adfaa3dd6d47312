// Manual pages, in the man macros of groff and mandoc.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/cli/shell/shell_files.hpp"

namespace raddle {
namespace {

// Text as it is: no escape, no request, and hyphens and quotes that can be copied and typed.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool at_start = out.empty() || out.back() == '\n';
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '.':
        out += at_start ? "\\&." : ".";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fP"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fP"; }

std::string header(std::string_view name) {
  std::string title(name);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"raddle {}\" \"Raddle\"\n", roff(title), RADDLE_VERSION);
}

// "  name   what it is", and lines below it that are indented further.
std::string choice_lines(std::string_view lines) {
  std::string out = ".RS\n";
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    const std::size_t end = begin == 2 ? line.find(' ', begin) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += roff(line.substr(begin)) + "\n";
      continue;
    }
    const std::size_t words = line.find_first_not_of(' ', end);
    out += fmt::format(".TP\n{}\n{}\n", bold(line.substr(begin, end - begin)),
                       roff(words == std::string_view::npos ? "" : line.substr(words)));
  }
  return out + ".RE\n";
}

std::string option_text(const OptionEntry& option) {
  std::vector<std::string> names = option.names();
  for (std::string& name : names) name = bold(name);
  if (names.empty()) names.push_back(italic(option.value));
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (option.named() && option.takes_value()) head += " " + italic(option.value);
  const std::size_t table = option.help.find("\n  ");
  std::string text = fmt::format(".TP\n{}\n{}", head, roff(option.help.substr(0, table)));
  if (!option.initial.empty() && option.named())
    text += fmt::format("\n(default: {})", roff(option.initial));
  text += '\n';
  if (table != std::string::npos)
    text += choice_lines(std::string_view(option.help).substr(table + 1));
  return text;
}

std::string option_section(const std::vector<OptionEntry>& options) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionEntry& option : options) text += option_text(option);
  return text;
}

std::string closing(const CommandTable& table) {
  return fmt::format(".SH \"EXIT STATUS\"\n{}\n", roff(table.exit_status));
}

std::string see_also(std::vector<std::string> pages) {
  for (std::string& page : pages) page = ".BR " + roff(page) + " (1)";
  return fmt::format(".SH \"SEE ALSO\"\n{}\n.PP\nDocuments: {}\n", fmt::join(pages, ",\n"),
                     italic("/usr/share/doc/raddle/"));
}

}  // namespace

std::string man_page(const CommandTable& table) {
  std::string text = header("raddle");
  text +=
      fmt::format(".SH NAME\nraddle \\- {}\n", "control, hunt and replay the threads of a program");
  text += fmt::format(".SH SYNOPSIS\n{} {} [{}]\n", bold("raddle"), italic("COMMAND"),
                      italic("OPTIONS"));
  text += fmt::format(".SH DESCRIPTION\n{}\n.PP\nStart with\n.PP\n.RS\n{}\n.RE\n",
                      roff(table.summary), bold("raddle hunt -- ./your-program its arguments"));
  text += ".SH COMMANDS\n";
  std::vector<std::string> pages;
  for (const CommandEntry& command : table.commands) {
    text += fmt::format(".TP\n{}\n{}\n", bold(command.name), roff(command.summary));
    pages.push_back("raddle-" + command.name);
  }
  return text + option_section(table.options) + closing(table) + see_also(std::move(pages));
}

std::string man_page(const CommandTable& table, const CommandEntry& command) {
  const std::string name = "raddle-" + command.name;
  std::string text = header(name);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.summary));
  text += fmt::format(".SH SYNOPSIS\n{}\n", bold(command.usage));
  text += fmt::format(".SH DESCRIPTION\n{}.\n", roff(command.summary));
  if (command.takes_program())
    text += fmt::format("Everything after {} is the program and its arguments.\n", bold("--"));
  return text + option_section(command.options) + closing(table) + see_also({"raddle"});
}

}  // namespace raddle
