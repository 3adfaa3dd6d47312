// The commands and their options as plain data: what the writers of manual pages and completions
// read. Made from the same tables that parse the command line, so neither can lag behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/cli/commands/subcommand.hpp"

namespace raddle {

struct OptionEntry {
  std::vector<std::string> short_names;  // "-j"
  std::vector<std::string> long_names;   // "--jobs"; neither: a word at its place
  std::string value;                     // "N", "FILE", "DIR"; empty for a flag
  std::vector<std::string> choices;      // what the value can be; empty: anything
  bool list = false;                     // several values, with commas between them
  bool repeats = false;
  std::string initial;  // the value if it is absent; empty: none
  std::string help;

  std::vector<std::string> names() const;  // short ones first
  bool named() const { return !short_names.empty() || !long_names.empty(); }
  bool takes_value() const { return !value.empty(); }
  bool is_file() const { return value.find("FILE") != std::string::npos; }
  bool is_folder() const { return value == "DIR"; }
};

struct CommandEntry {
  std::string name;
  std::string summary;
  std::string usage;  // "raddle hunt [OPTIONS] -- PROG ARGS"
  Subcommand::Takes takes;
  std::vector<OptionEntry> options;

  bool takes_program() const {
    return takes == Subcommand::Takes::kProgram || takes == Subcommand::Takes::kPerhapsProgram ||
           takes == Subcommand::Takes::kReplayFileAndProgram;
  }
};

struct CommandTable {
  std::string summary;
  std::string exit_status;
  std::vector<OptionEntry> options;  // before a command
  std::vector<CommandEntry> commands;
};

// The options of one part of the command line, in the order of --help.
std::vector<OptionEntry> option_entries(CLI::App& app);

// What an option is for, in one short line.
std::string first_line(const OptionEntry& option);

}  // namespace raddle
