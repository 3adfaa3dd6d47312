// The command line, parsed with CLI11. Called by main() alone.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "host/cli/commands/subcommand.hpp"
#include "host/cli/shell/command_table.hpp"
#include "host/report/formats/format.hpp"

namespace raddle {

// Nothing more to do: the text goes to standard output (--help, --version).
struct Told {
  std::string text;
};

// One line for standard error: what is wrong, and where to look.
struct UsageError {
  std::string text;
};

// The command that was named, ready to run.
using Arguments = std::variant<std::unique_ptr<Subcommand>, Told, UsageError>;

// All commands with their options, for manual pages and completions.
CommandTable command_table();

Arguments parse_arguments(int argc, char** argv, Formats offered = formats());

}  // namespace raddle
