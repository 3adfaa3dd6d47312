// One execution with the user's own standard streams: what `raddle run` and `raddle record` have in
// common.
#pragma once

#include <functional>

#include "host/base/result.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct OnceOptions {
  // What the program prints goes into the result, not to the user's own streams.
  bool captured = false;
  bool keep_log = false;
  TraceLevel trace = TraceLevel::kNone;
  // With a trace, one of these: called before the execution starts, says who gets the events, or
  // the stream.
  std::function<EventSink*(Worker&)> listener;
  std::function<StreamSink*(Worker&)> recorder;
};

struct Outcome {
  Execution execution;
  Failure failure;
};

Result<Outcome> execute_once(const ProgramOptions& program, const PreparedProgram& prepared,
                             const OnceOptions& options);

}  // namespace raddle
