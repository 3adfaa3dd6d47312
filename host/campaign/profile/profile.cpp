#include "host/campaign/profile/profile.hpp"

#include <cstdio>
#include <iterator>

namespace raddle {
namespace {

// In turn: what one never does another may do often.
constexpr const char* kStrategies[] = {"random", "pos"};

}  // namespace

Result<unsigned> profile(Worker& worker, const ProfileOptions& options, Collector& collector) {
  unsigned quiet = 0;
  unsigned executions = 0;
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto goes_on = [&] { return quiet < options.quiet || executions < options.at_least; };
  while (goes_on() && executions < options.at_most && !stopped()) {
    Plan plan = options.plan;
    std::snprintf(plan.strategy, sizeof plan.strategy, "%s",
                  kStrategies[executions % std::size(kStrategies)]);
    plan.seed = options.first_seed + executions;
    plan.trace = options.trace;
    plan.atomic_blocks = 0;
    plan.pattern = 0;
    RunOptions running;
    running.timeout = options.timeout;
    running.stop = options.stop;
    running.aims = collector.aims();
    running.events = &collector.begin();
    const Result<Execution> execution = worker.run(plan, {}, running);
    if (!execution) return Error{execution.error()};
    ++executions;
    quiet = collector.end(*execution) ? 0 : quiet + 1;
  }
  return executions;
}

}  // namespace raddle
