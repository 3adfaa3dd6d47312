// raddle.toml: defaults of options that a project keeps in its folder. Read when the command line
// is parsed; whoever wrote the file is not trusted. Nothing here knows which options there are.
//
//   jobs = 2                # for every command that has the option
//   [hunt]
//   budget = "30s"          # --budget 30s
//   ok-exit = [3, 77]       # --ok-exit 3 --ok-exit 77
//   strict = true           # --strict
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

inline constexpr const char* kProjectFileName = "raddle.toml";

struct Setting {
  std::string command;  // empty: every command that has the option
  std::string key;      // an option without its dashes
  std::vector<std::string> values;
  bool is_flag = false;  // true or false; `values` is "true" or "false", then
  std::uint32_t line = 0;
};

struct ProjectFile {
  std::string path;
  std::vector<Setting> settings;  // in the order of the file

  std::string folder() const;  // that its paths start from
};

// The path of the nearest file from this folder upwards; not beyond a folder that is a checkout of
// git. Empty if there is none.
std::string find_project_file(const std::string& folder);

// The errors are one line each that begins with PATH, and LINE where it is known.
Result<ProjectFile> read_project_file(const std::string& path);
Result<ProjectFile> parse_project_file(std::string_view text, const std::string& path);

// The one of `names` that `name` was probably meant to be; empty if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace raddle
