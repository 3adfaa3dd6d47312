// Completion for bash: the tables as cases of two functions, and the code that asks them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/cli/shell/shell_files.hpp"

namespace raddle {
namespace {

// What can follow an option: words, or @file, @folder, @text; a comma in front of words is a list.
std::string values(const OptionEntry& option) {
  if (!option.choices.empty())
    return fmt::format("{}{}", option.list ? ", " : "", fmt::join(option.choices, " "));
  if (option.is_folder()) return "@folder";
  return option.is_file() ? "@file" : "@text";
}

constexpr std::string_view kCode = R"shell(
# What stands in COMP_WORDS for a word with = in it is three words: they become one option and its value.
_raddle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  if [ "$cur" = "=" ]; then
    cur=
  elif [ "$prev" = "=" ]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --)
        _raddle_program $((i + 1))
        return ;;
      -*) ;;
      *) [ -n "$command" ] || command=${COMP_WORDS[i]} ;;
    esac
  done
  if [ -z "$command" ] || [ "$command" = help ]; then
    COMPREPLY=($(compgen -W "$(_raddle_options "")" -- "$cur"))
    return
  fi
  local values=$(_raddle_values "$command $prev")
  case $values in
    "") ;;
    @text) return ;;
    @file) _raddle_files -f; return ;;
    @folder) _raddle_files -d; return ;;
    ", "*)
      local before=
      case $cur in *,*) before=${cur%,*}, ;; esac
      COMPREPLY=($(compgen -P "$before" -W "${values#, }" -- "${cur##*,}"))
      compopt -o nospace
      return ;;
    *) COMPREPLY=($(compgen -W "$values" -- "$cur")); return ;;
  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$(_raddle_options "$command")" -- "$cur")) ;;
    *)
      case $(_raddle_values "$command") in
        @file) _raddle_files -f ;;
        *) COMPREPLY=($(compgen -W "$(_raddle_options "$command")" -- "$cur")) ;;
      esac ;;
  esac
}

_raddle_files() {
  local IFS=$'\n'
  compopt -o filenames
  COMPREPLY=($(compgen "$1" -- "$cur"))
}

#The program under test and its arguments, as if they stood alone.
_raddle_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif [ "$COMP_CWORD" = "$1" ]; then
    local IFS=$'\n'
    compopt -o filenames
    COMPREPLY=($(compgen -c -- "$cur"; compgen -f -- "$cur"))
  else
    _raddle_files -f
  fi
}

complete -F _raddle raddle
)shell";

}  // namespace

std::string bash_completion(const CommandTable& table) {
  std::string options;
  std::string arguments;
  std::vector<std::string> commands;
  for (const CommandEntry& command : table.commands) {
    commands.push_back(command.name);
    std::vector<std::string> names;
    for (const OptionEntry& option : command.options) {
      const std::vector<std::string> own = option.names();
      names.insert(names.end(), own.begin(), own.end());
      if (!option.takes_value()) continue;
      std::vector<std::string> cases;
      cases.reserve(own.size() + 1);
      for (const std::string& name : own)
        cases.push_back(fmt::format("\"{} {}\"", command.name, name));
      if (own.empty()) cases.push_back(command.name);
      arguments += fmt::format("    {}) echo '{}' ;;\n", fmt::join(cases, " | "), values(option));
    }
    if (command.takes_program()) names.emplace_back("--");
    options += fmt::format("    {}) echo '{}' ;;\n", command.name, fmt::join(names, " "));
  }
  for (const OptionEntry& option : table.options) {
    const std::vector<std::string> names = option.names();
    commands.insert(commands.end(), names.begin(), names.end());
  }
  return fmt::format(
      "# Completion of raddle for bash, made from its tables of options.\n\n"
      "_raddle_options() {{\n  case $1 in\n    '') echo '{} help' ;;\n{}  esac\n}}\n\n"
      "_raddle_values() {{\n  case $1 in\n{}  esac\n}}\n{}",
      fmt::join(commands, " "), options, arguments, kCode);
}

}  // namespace raddle
