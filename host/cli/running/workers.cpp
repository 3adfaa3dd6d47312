#include "host/cli/running/workers.hpp"

#include <algorithm>

namespace raddle {

WorkerOptions worker_options(const PreparedProgram& prepared, std::uint64_t max_steps) {
  WorkerOptions options;
  options.command = prepared.command;
  options.library = prepared.library.path();
  options.max_steps = max_steps;
  return options;
}

WorkerOptions worker_options(const PreparedProgram& prepared, const ProgramOptions& program,
                             int input) {
  WorkerOptions options = worker_options(prepared, program.max_steps);
  options.ok_exit = program.ok_exit;
  options.input = input;
  options.restore = program.restore;
  return options;
}

WorkerOptions worker_options(const PreparedProgram& prepared, const ReplayFile& file, int input) {
  WorkerOptions options =
      worker_options(prepared, std::max<std::uint64_t>(file.log.size(), file.plan.max_steps));
  options.input = input;
  options.kinds = file.streams;
  // An exit status that was accepted then is accepted now.
  if (file.outcome == OutcomeKind::kNone) {
    for (int status = 1; status < 256; ++status) options.ok_exit.push_back(status);
  }
  return options;
}

}  // namespace raddle
