// Completion for fish: a line for each option of each command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/cli/shell/shell_files.hpp"

namespace raddle {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string line(const std::string& condition, const OptionEntry& option) {
  std::string text = fmt::format("complete -c raddle -n {}", fish_quoted(condition));
  for (const std::string& name : option.short_names) text += " -s " + name.substr(1);
  for (const std::string& name : option.long_names) text += " -l " + name.substr(2);
  if (!option.choices.empty()) {
    text += option.list
                ? fmt::format(" -x -a \"(__fish_append , {})\"", fmt::join(option.choices, " "))
                : fmt::format(" -x -a {}",
                              fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  } else if (option.is_folder()) {
    text += " -x -a '(__fish_complete_directories)'";
  } else if (option.is_file()) {
    text += option.named() ? " -r -F" : " -F";
  } else if (option.takes_value()) {
    text += " -x";
  } else {
    text += " -f";
  }
  return text + fmt::format(" -d {}\n", fish_quoted(first_line(option)));
}

constexpr std::string_view kCode =
    R"shell(# Completion of raddle for fish, made from its tables of options.

# The command of the line is this one, and its program has not begun.
function __raddle_in
  set -l words (commandline -opc)
  contains -- -- $words; and return 1
  test (count $words) -gt 1; and test $words[2] = $argv[1]
end

function __raddle_in_none
  test (count (commandline -opc)) -eq 1
end

# What follows --: the program and its arguments, as if they stood alone.
function __raddle_in_program
  contains -- -- (commandline -opc)
end

function __raddle_program
  set -l words (commandline -opc) (commandline -ct)
  set -l at (contains -i -- -- $words)
  complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-2]) $words[-1])
end

complete -c raddle -f
complete -c raddle -n __raddle_in_program -x -a '(__raddle_program)'
)shell";

}  // namespace

std::string fish_completion(const CommandTable& table) {
  std::string text(kCode);
  const auto offer = [&](const std::string& name, const std::string& summary) {
    text += fmt::format("complete -c raddle -n __raddle_in_none -x -a {} -d {}\n",
                        fish_quoted(name), fish_quoted(summary));
  };
  for (const CommandEntry& command : table.commands) offer(command.name, command.summary);
  offer("help", "What a command does, and its options");
  for (const OptionEntry& option : table.options) text += line("__raddle_in_none", option);
  for (const CommandEntry& command : table.commands) {
    text += fmt::format("\n# {}\n", command.name);
    for (const OptionEntry& option : command.options)
      text += line("__raddle_in " + command.name, option);
    text += fmt::format("complete -c raddle -n '__raddle_in help' -x -a {} -d {}\n",
                        fish_quoted(command.name), fish_quoted(command.summary));
  }
  return text;
}

}  // namespace raddle
