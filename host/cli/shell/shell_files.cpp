#include "host/cli/shell/shell_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/base/atomic_file.hpp"

namespace raddle {
namespace fs = std::filesystem;

Result<bool> write_shell_files(const CommandTable& table, const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"man/man1/raddle.1", man_page(table)},
      {"bash/raddle", bash_completion(table)},
      {"zsh/_raddle", zsh_completion(table)},
      {"fish/raddle.fish", fish_completion(table)}};
  for (const CommandEntry& command : table.commands)
    files.emplace_back(fmt::format("man/man1/raddle-{}.1", command.name), man_page(table, command));
  for (const auto& [name, text] : files) {
    const fs::path path = fs::path(folder) / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      return Error{fmt::format("cannot make {}: {}", path.parent_path().string(), error.message())};
    const auto written = write_file_atomically(path.string(), text);
    if (!written) return Error{written.error()};
  }
  return true;
}

}  // namespace raddle
