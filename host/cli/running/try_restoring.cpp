#include "host/cli/running/try_restoring.hpp"

#include <fmt/format.h>

#include "host/cli/options/program_options.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/workers.hpp"

namespace raddle {
namespace {

constexpr int kExecutions = 6;
constexpr std::chrono::seconds kTimeout{5};
constexpr char kSlower[] = "it is forked for each execution instead: slower, with the same results";

Check not_restored(const std::string& why) {
  return {"restoring", Check::warn, fmt::format("not possible: {}", why), kSlower};
}

}  // namespace

Check try_restoring(const std::vector<std::string>& program) {
  const Result<PreparedProgram> prepared = prepare_program(program);
  if (!prepared) return not_restored(prepared.error());
  ProgramOptions options;
  options.timeout = kTimeout;
  options.restore = true;
  Result<std::unique_ptr<Worker>> worker = Worker::start(worker_options(*prepared, options, -1));
  if (!worker) return not_restored(worker.error());
  RunOptions running;
  running.timeout = kTimeout;
  running.stop = &stop_on_signals();
  for (int i = 0; i < kExecutions && !running.stop->load(); ++i) {
    options.seed = static_cast<std::uint64_t>(i) + 1;
    const Result<Execution> execution = (*worker)->run(make_plan(options), {}, running);
    if (!execution) return not_restored(execution.error());
    if (execution->ended_by_host) return not_restored("an execution reached the time limit of 5 s");
    if (!(*worker)->restored().why_not().empty())
      return not_restored((*worker)->restored().why_not());
  }
  return {"restoring", Check::ok,
          fmt::format("{} executions of one process, put back after each{}",
                      (*worker)->restored().count(),
                      (*worker)->restored().by() == RestoringBy::kCopy
                          ? "; the kernel does not tell what they wrote, so all is copied"
                          : ""),
          ""};
}

}  // namespace raddle
