// Programs that only prepare another one and then become it (exec). Nobody tests them, but many
// commands begin with one. The runtime stays passive in these and hands control on to the program
// that they become; the host knows what to say if they become none.
#pragma once

#include <string_view>

namespace raddle {

inline constexpr std::string_view kShells[] = {"sh", "dash", "bash", "ksh", "ksh93", "mksh", "zsh"};

// The name of the file without its folder, symbolic links followed.
constexpr bool is_shell(std::string_view file) {
  for (std::string_view name : kShells)
    if (file == name) return true;
  return false;
}

inline constexpr std::string_view kLaunchers[] = {
    "env", "nice", "nohup", "stdbuf", "ionice", "taskset", "chrt", "prlimit", "setarch", "linux64"};

constexpr bool is_launcher(std::string_view file) {
  for (std::string_view name : kLaunchers)
    if (file == name) return true;
  return is_shell(file);
}

}  // namespace raddle
