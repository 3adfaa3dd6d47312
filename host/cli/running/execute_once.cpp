#include "host/cli/running/execute_once.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/workers.hpp"
#include "host/process/outcome.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

Result<Outcome> execute_once(const ProgramOptions& program, const PreparedProgram& prepared,
                             const OnceOptions& once) {
  const bool piped = isatty(STDIN_FILENO) == 0;
  WorkerOptions options = worker_options(prepared, program, piped ? STDIN_FILENO : -1);
  options.streams = once.captured ? Streams::kCaptured : Streams::kInherited;
  Result<std::unique_ptr<Worker>> worker = Worker::start(options);
  if (!worker) return Error{worker.error()};

  RunOptions running;
  running.timeout = program.timeout;
  running.keep_log = once.keep_log;
  running.forward_signal = &forward_signals();
  if (once.listener) running.events = once.listener(**worker);
  if (once.recorder) running.stream = once.recorder(**worker);
  Plan plan = make_plan(program);
  plan.trace = once.trace;
  Result<Execution> execution = (*worker)->run(plan, {}, running);
  if (!execution) return Error{execution.error()};
  // Who ends the program from outside has not found a bug in it.
  const int status = execution->wait_status;
  if (WIFSIGNALED(status) && WTERMSIG(status) == interrupting_signal()) {
    set_outcome(*execution, OutcomeKind::kInconclusive,
                fmt::format("interrupted with {}", signal_text(WTERMSIG(status))));
  }
  worker->reset();  // what it knows of the program's debug information is kept: Symbolizer::keep()
  Symbolizer symbols;
  Failure failure = describe(*execution, symbols);
  return Outcome{std::move(*execution), std::move(failure)};
}

}  // namespace raddle
