// The options of `raddle hunt`. Used where the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>

#include "host/cli/options/options.hpp"

namespace raddle {

CLI::App* add_hunt_command(CLI::App& app, HuntCommand& command);

}  // namespace raddle
