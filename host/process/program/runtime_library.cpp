#include "host/process/program/runtime_library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace raddle {

Result<std::string> find_runtime_library() {
  char tool[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", tool, sizeof tool);
  if (length <= 0 || length == static_cast<ssize_t>(sizeof tool)) {
    return Error{"cannot tell where raddle itself is: mount /proc"};
  }
  const std::string path(tool, static_cast<std::size_t>(length));
  const std::string folder = path.substr(0, path.rfind('/'));
  for (const char* place : {"/", "/../lib/raddle/"}) {
    char resolved[PATH_MAX];
    const std::string candidate = folder + place + kRuntimeLibrary;
    if (access(candidate.c_str(), R_OK) == 0 && realpath(candidate.c_str(), resolved) != nullptr) {
      return std::string(resolved);
    }
  }
  return Error{
      fmt::format("{0} is neither in {1} nor in {1}/../lib/raddle: build or install raddle "
                  "again, and keep them together",
                  kRuntimeLibrary, folder)};
}

}  // namespace raddle
