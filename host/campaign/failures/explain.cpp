#include "host/campaign/failures/explain.hpp"

#include <utility>

#include "host/describe/waited_names.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {

Explained explained_by(Worker& worker, const Execution& execution, Symbolizer& symbols,
                       const RunOptions& options) {
  Explained explained;
  explained.failure = describe(execution, symbols);
  KeptTrace trace;
  RunOptions running = options;
  running.events = &trace;
  const Result<Execution> again = replay_strictly(worker, execution, running, ReplayDetail::kFull);
  if (!again || again->log_hash != execution.log_hash) return explained;
  symbols.set_maps(again->maps);
  // Its addresses are those of the events; another worker's may be others.
  if (again->kind == execution.kind) explained.failure = describe(*again, symbols);
  name_waited_for(explained.failure, trace, symbols);
  explained.explanation = explain(trace, explained.failure, symbols);
  explained.timeline = timeline_of(trace, explained.failure, symbols);
  mark(explained.timeline, explained.explanation);
  explained.trace = std::move(trace);
  return explained;
}

}  // namespace raddle
