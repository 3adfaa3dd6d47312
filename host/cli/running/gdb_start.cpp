// The wrapper that gdb runs in place of a shell's exec: see gdb.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/cli/running/gdb.hpp"
#include "host/cli/running/gdb_spec.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/host_region.hpp"

namespace raddle {
namespace {

bool redirect(const std::string& path, int flags, int to) {
  const UniqueFd fd(open(path.c_str(), flags));
  return fd && dup2(fd.get(), to) == to;
}

}  // namespace

int start_for_gdb(int count, char** arguments) {
  GdbSpec spec;
  if (count < 2 || !read_spec(arguments[0], spec)) {
    error_line("gdb-start is for `raddle replay --gdb' alone");
    return kBadInput;
  }
  if (!reset_region_at(spec.region)) {
    error_line(
        fmt::format("cannot open the shared region {}: {}", spec.region, std::strerror(errno)));
    return kBadInput;
  }
  std::vector<char*> argv(arguments + 1, arguments + count);
  argv[0] = spec.argv0.data();
  argv.push_back(nullptr);
  std::vector<char*> envp;
  envp.reserve(spec.environment.size() + 1);
  for (std::string& variable : spec.environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  if (redirect(spec.input, O_RDONLY, 0) && redirect(spec.output, O_WRONLY, 1) &&
      redirect(spec.error, O_WRONLY, 2)) {
    execve(spec.program.c_str(), argv.data(), envp.data());
  }
  error_line(fmt::format("cannot start {}: {}", spec.program, std::strerror(errno)));
  return kBadInput;
}

}  // namespace raddle
