#include "host/process/execution.hpp"

namespace raddle {

Execution without_report(const Execution& execution) {
  Execution copy;
  copy.plan = execution.plan;
  copy.aims = execution.aims;
  copy.realised = execution.realised;
  copy.kind = execution.kind;
  copy.steps = execution.steps;
  copy.switches = execution.switches;
  copy.preemptions = execution.preemptions;
  copy.threads = execution.threads;
  copy.seconds = execution.seconds;
  copy.log_hash = execution.log_hash;
  copy.streams = execution.streams;
  copy.image = execution.image;
  copy.log = execution.log;
  return copy;
}

}  // namespace raddle
