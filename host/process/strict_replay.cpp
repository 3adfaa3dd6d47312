#include "host/process/strict_replay.hpp"

#include <memory>
#include <vector>

namespace raddle {

namespace {

RecordedEnd recorded_end(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kLivelock:
      return RecordedEnd::kLivelock;
    case OutcomeKind::kPossibleHang:
      return RecordedEnd::kPossibleHang;
    case OutcomeKind::kLimit:
    case OutcomeKind::kInconclusive:
    case OutcomeKind::kDiverged:
      return RecordedEnd::kCutOff;
    case OutcomeKind::kNone:
    case OutcomeKind::kAssertion:
    case OutcomeKind::kCrash:
    case OutcomeKind::kException:
    case OutcomeKind::kExit:
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kLeaked:
    case OutcomeKind::kMemoryFault:
      return RecordedEnd::kByItself;
  }
  return RecordedEnd::kByItself;
}

}  // namespace

Plan strict_replay_of(const Plan& plan, OutcomeKind recorded, ReplayDetail detail) {
  Plan strict = plan;
  strict.detail = detail == ReplayDetail::kFull;
  strict.replay_strict = true;
  strict.recorded_end = recorded_end(recorded);
  strict.replay_turns = false;
  strict.prefix_checked = strict.enabled_log = false;
  strict.asleep = 0;
  strict.looks_on = false;
  return strict;
}

Result<Execution> replay_strictly(Worker& worker, const Execution& recorded,
                                  const RunOptions& options, ReplayDetail detail) {
  Plan plan = strict_replay_of(recorded.plan, recorded.kind, detail);
  const bool listens = options.events != nullptr || options.stream != nullptr;
  plan.trace = listens ? TraceLevel::kMemory : TraceLevel::kNone;
  RunOptions running = options;
  running.keep_log = detail == ReplayDetail::kFull;
  running.aims = recorded.aims;
  Result<Execution> again = worker.run(plan, recorded.log, running);
  if (again) again->plan = recorded.plan;
  return again;
}

Execution recorded_execution(const ReplayFile& file) {
  Execution execution;
  execution.plan = file.plan;
  execution.aims = std::make_shared<const std::vector<PlanAim>>(file.aims);
  execution.image = file.image;
  execution.kind = file.outcome;
  execution.steps = file.log.size();
  execution.log_hash = log_hash(file.log);
  execution.log = file.log;
  return execution;
}

}  // namespace raddle
