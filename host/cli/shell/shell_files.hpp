// Manual pages and completions, written from the table of commands. The build calls
// write_shell_files(), through the hidden command kWriteShellFiles; `cmake --install' installs what
// it wrote. Each writer is one file, and returns the whole text.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/cli/shell/command_table.hpp"

namespace raddle {

// The first argument that stands for it: raddle __shell-files FOLDER
inline constexpr const char* kWriteShellFiles = "__shell-files";

std::string man_page(const CommandTable& table);                               // raddle(1)
std::string man_page(const CommandTable& table, const CommandEntry& command);  // raddle-NAME(1)
std::string bash_completion(const CommandTable& table);
std::string zsh_completion(const CommandTable& table);
std::string fish_completion(const CommandTable& table);

// FOLDER/man/man1/*.1, FOLDER/bash/raddle, FOLDER/zsh/_raddle, FOLDER/fish/raddle.fish.
Result<bool> write_shell_files(const CommandTable& table, const std::string& folder);

}  // namespace raddle
