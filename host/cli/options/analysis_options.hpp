// The options of `raddle check` and `raddle analyze` that choose the analyses and what is shown of
// their findings. Called where the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>

#include "host/cli/options/options.hpp"

namespace raddle {

// Fill their arguments, which must outlive the parsing.
void add_analysis_options(CLI::App& app, FindingOptions& options);
CLI::App* add_analyze_command(CLI::App& app, AnalyzeCommand& command);

}  // namespace raddle
