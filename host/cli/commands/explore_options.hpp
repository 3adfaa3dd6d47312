// The command line of `raddle explore`. Called where the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "host/cli/options/options.hpp"

namespace raddle {

// Fills its argument, which must outlive the parsing.
CLI::App* add_explore_command(CLI::App& app, ExploreCommand& command);

// What contradicts itself, in one line; empty if nothing does.
std::string explore_conflict(const ExploreCommand& command);

}  // namespace raddle
