#include <signal.h>

#include <cstring>
#include <exception>

#include "host/cli/arguments.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/running/gdb.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

struct Dispatch {
  int operator()(const RunCommand& command) const { return run_command(command); }
  int operator()(const RecordCommand& command) const { return record_command(command); }
  int operator()(const TraceCommand& command) const { return trace_command(command); }
  int operator()(const AnalyzeCommand& command) const { return analyze_command(command); }
  int operator()(const CheckCommand& command) const { return check_command(command); }
  int operator()(const FuzzCommand& command) const { return fuzz_command(command); }
  int operator()(const ExploreCommand& command) const { return explore_command(command); }
  int operator()(const ReplayCommand& command) const { return replay_command(command); }
  int operator()(const HuntCommand& command) const { return hunt_command(command); }
  int operator()(const MinimizeCommand& command) const { return minimize_command(command); }
  int operator()(const DoctorCommand& command) const { return doctor_command(command); }
  int operator()(const Told& told) const {
    print(told.text);
    return kNothingFound;
  }
  int operator()(const UsageError& error) const {
    error_line(error.text);
    return kBadInput;
  }
};

int tool(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], kGdbStart) == 0) return start_for_gdb(argc - 2, argv + 2);
  open_missing_streams();
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error that is reported, not the end
  const int status = std::visit(Dispatch{}, parse_arguments(argc, argv));
  return output_complete() ? status : kBadInput;
}

}  // namespace
}  // namespace raddle

int main(int argc, char** argv) {
  try {
    return raddle::tool(argc, argv);
  } catch (const std::exception& error) {
    // Out of memory is what is left: everything else is a value.
    raddle::error_line(error.what());
    return raddle::kBadInput;
  }
}
