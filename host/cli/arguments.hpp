// The command line, parsed with CLI11. Called by main() alone.
#pragma once

#include <string>
#include <variant>

#include "host/cli/options/options.hpp"

namespace raddle {

// Nothing more to do: the text goes to standard output (--help, --version).
struct Told {
  std::string text;
};

// One line for standard error: what is wrong, and where to look.
struct UsageError {
  std::string text;
};

using Arguments = std::variant<RunCommand, RecordCommand, TraceCommand, AnalyzeCommand,
                               CheckCommand, FuzzCommand, ExploreCommand, ReplayCommand,
                               MinimizeCommand, HuntCommand, DoctorCommand, Told, UsageError>;

Arguments parse_arguments(int argc, char** argv);

}  // namespace raddle
