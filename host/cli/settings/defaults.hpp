// What raddle.toml means for a command: its settings as words of the command line. Called where the
// command line is parsed.
#pragma once

#include <string>
#include <vector>

#include "host/cli/settings/project_file.hpp"
#include "host/cli/shell/command_table.hpp"

namespace raddle {

// An option that the file gives a value.
struct DefaultOption {
  std::string name;                // "--budget"
  std::vector<std::string> words;  // "--budget=30s"; empty for a flag that is false
  std::uint32_t line = 0;
};

// What is wrong with a name or a flag in the file, one line that names the nearest; empty if all is
// well. Values are checked where they are used.
std::string wrong_setting(const ProjectFile& file, const CommandTable& table);

// For this command, each option once: what stands under its name, else what stands for all. Paths
// are made to start from the file's folder. The file has nothing wrong.
std::vector<DefaultOption> defaults_of(const ProjectFile& file, const CommandEntry& command);

// "--budget=30s --strict"
std::string words_of(const std::vector<DefaultOption>& defaults);

// All of it in one line, for a person: "hunt --budget=30s; fuzz --jobs=2".
std::string all_defaults(const ProjectFile& file, const CommandTable& table);

}  // namespace raddle
