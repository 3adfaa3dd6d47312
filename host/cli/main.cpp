#include <fmt/format.h>
#include <signal.h>

#include <cstring>
#include <exception>

#include "host/cli/arguments.hpp"
#include "host/cli/running/gdb.hpp"
#include "host/cli/shell/shell_files.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

constexpr std::size_t kKeptSymbolizers = 2;  // a command has one program, or two versions of it

int run(const Arguments& arguments) {
  if (const auto* told = std::get_if<Told>(&arguments)) {
    print(told->text);
    return kNothingFound;
  }
  if (const auto* error = std::get_if<UsageError>(&arguments)) return fail(error->text);
  Subcommand& command = *std::get<std::unique_ptr<Subcommand>>(arguments);
  const Subcommand::Defaults& defaults = command.defaults();
  if (!defaults.applied.empty())
    error_line(fmt::format("defaults from {}: {}", defaults.path, defaults.applied));
  return command.run();
}

int write_shell_files_to(const std::string& folder) {
  const Result<bool> written = write_shell_files(command_table(), folder);
  return written ? kNothingFound : fail(written.error());
}

int tool(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], kGdbStart) == 0) return start_for_gdb(argc - 2, argv + 2);
  open_missing_streams();
  if (argc == 3 && std::strcmp(argv[1], kWriteShellFiles) == 0)
    return write_shell_files_to(argv[2]);
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error that is reported, not the end
  Symbolizer::keep(kKeptSymbolizers);
  const int status = run(parse_arguments(argc, argv));
  return output_complete() ? status : kBadInput;
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  try {
    return raddle::tool(argc, argv);
  } catch (const std::exception& error) {
    // Out of memory is what is left: everything else is a value.
    return raddle::fail(error.what());
  }
}
