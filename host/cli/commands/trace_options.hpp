// The options of `raddle trace`. Called where the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "host/cli/options/options.hpp"

namespace raddle {

// Fills `command`, which must outlive the parsing.
CLI::App* add_trace_command(CLI::App& app, TraceCommand& command);

// Options that do not go together: one line on which; empty if all is well.
std::string trace_conflict(const TraceCommand& command);

}  // namespace raddle
