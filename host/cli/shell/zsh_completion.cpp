// Completion for zsh: the options of each command as specifications of _arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/cli/shell/shell_files.hpp"

namespace raddle {
namespace {

// Inside single quotes, and with what _arguments and _describe give a meaning.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// ":FILE:_files"
std::string values(const OptionEntry& option) {
  std::string action;
  if (!option.choices.empty()) {
    action = option.list
                 ? fmt::format("_values -s , {} {}", option.value, fmt::join(option.choices, " "))
                 : fmt::format("({})", fmt::join(option.choices, " "));
  } else if (option.is_folder()) {
    action = "_files -/";
  } else if (option.is_file()) {
    action = "_files";
  } else {
    action = " ";  // nothing to offer
  }
  return fmt::format(":{}:{}", zsh_quoted(option.value), action);
}

std::string specification(const OptionEntry& option) {
  const std::string value = option.takes_value() ? values(option) : "";
  if (!option.named()) return fmt::format("'{}{}'", option.repeats ? "*" : "1", value);
  const std::vector<std::string> all = option.names();
  std::vector<std::string> forms = all;
  for (std::string& form : forms)
    if (option.takes_value()) form += form.starts_with("--") ? "=" : "+";
  const std::string rest = fmt::format("[{}]{}", zsh_quoted(first_line(option)), value);
  const std::string before = option.repeats ? "*" : fmt::format("({})", fmt::join(all, " "));
  if (forms.size() == 1) return fmt::format("'{}{}{}'", before, forms.front(), rest);
  return fmt::format("'{}'{{{}}}'{}'", before, fmt::join(forms, ","), rest);
}

std::string arguments(const CommandEntry& command) {
  std::string text = fmt::format("    ({})\n      _arguments -s -S", command.name);
  for (const OptionEntry& option : command.options)
    text += fmt::format(" \\\n        {}", specification(option));
  if (command.takes_program())
    text += " \\\n        '(-)1:program:_command_names -e' \\\n        '*::argument:_normal'";
  return text + " ;;\n";
}

}  // namespace

std::string zsh_completion(const CommandTable& table) {
  std::string commands;
  std::string cases;
  for (const CommandEntry& command : table.commands) {
    commands += fmt::format("    '{}:{}'\n", zsh_quoted(command.name), zsh_quoted(command.summary));
    cases += arguments(command);
  }
  std::string options;
  for (const OptionEntry& option : table.options)
    options += fmt::format("    {} \\\n", specification(option));
  return fmt::format(
      "#compdef raddle\n# Completion of raddle for zsh, made from its tables of options.\n\n"
      "local -a commands\nlocal curcontext=$curcontext state line ret=1\ncommands=(\n{}"
      "    'help:What a command does, and its options'\n)\n\n"
      "_arguments -C \\\n{}    '1:command:->command' \\\n    '*::argument:->argument' && ret=0\n\n"
      "case $state in\n"
      "(command)\n  _describe -t commands command commands && ret=0 ;;\n"
      "(argument)\n  curcontext=${{curcontext%:*:*}}:raddle-$words[1]:\n  case $words[1] in\n"
      "    (help)\n      _describe -t commands command commands ;;\n{}"
      "  esac && ret=0 ;;\nesac\nreturn ret\n",
      commands, options, cases);
}

}  // namespace raddle
