#include "host/campaign/failures/explain.hpp"

namespace raddle {

Explained explained_by(Worker& worker, const Execution& execution, Symbolizer& symbols,
                       const RunOptions& options) {
  Explained explained;
  explained.failure = describe(execution, symbols);
  KeptTrace trace;
  Plan plan = execution.plan;
  plan.replay_strict = true;
  plan.trace = TraceLevel::kMemory;
  RunOptions running = options;
  running.events = &trace;
  running.aims = execution.aims;
  const Result<Execution> again = worker.run(plan, execution.log, running);
  if (!again || again->log_hash != execution.log_hash) return explained;
  symbols.set_maps(again->maps);
  explained.explanation = explain(trace, explained.failure, symbols);
  return explained;
}

}  // namespace raddle
