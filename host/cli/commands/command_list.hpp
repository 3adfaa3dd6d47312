// All commands of the tool, in the order in which --help shows them. A new command is a file
// NAME_command.cpp that defines make_NAME_command(), and a line here.
#pragma once

#include <memory>
#include <vector>

#include "host/cli/commands/subcommand.hpp"

namespace raddle {

#define RADDLE_COMMANDS(X) \
  X(run)                   \
  X(record)                \
  X(trace)                 \
  X(analyze)               \
  X(check)                 \
  X(hunt)                  \
  X(suite)                 \
  X(worker)                \
  X(fuzz)                  \
  X(explore)               \
  X(predict)               \
  X(replay)                \
  X(explain)               \
  X(minimize)              \
  X(fix)                   \
  X(report)                \
  X(findings)              \
  X(forget)                \
  X(import)                \
  X(doctor)

#define RADDLE_COMMAND_DECLARED(name) std::unique_ptr<Subcommand> make_##name##_command();
RADDLE_COMMANDS(RADDLE_COMMAND_DECLARED)
#undef RADDLE_COMMAND_DECLARED

// One of each. Called once, before the command line is parsed.
inline std::vector<std::unique_ptr<Subcommand>> make_commands() {
  std::vector<std::unique_ptr<Subcommand>> commands;
#define RADDLE_COMMAND_MADE(name) commands.push_back(make_##name##_command());
  RADDLE_COMMANDS(RADDLE_COMMAND_MADE)
#undef RADDLE_COMMAND_MADE
  return commands;
}

}  // namespace raddle
