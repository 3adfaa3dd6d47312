// One finished execution, as the host sees it. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/process/out_of_control.hpp"
#include "host/replay/aims.hpp"
#include "host/replay/stream_kinds.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/circumstances.hpp"
#include "protocol/plan.hpp"
#include "protocol/report.hpp"

namespace raddle {

struct Execution {
  Plan plan{};
  AimList aims;                           // what its plan names
  Realised realised{};                    // by the strategy's own word
  Circumstances circumstances{};          // that it met
  OutcomeKind kind = OutcomeKind::kNone;  // runtime's report and wait status, taken together
  int wait_status = 0;                    // as from waitpid
  bool ended_by_host = false;             // killed at a limit; wait_status is our own SIGKILL then
  std::uint64_t steps = 0;
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;  // switches away from a thread that could have gone on
  std::uint32_t threads = 0;
  std::uint64_t log_hash = 0;
  std::uint64_t went_on_at = 0;  // steps that it has from the worker's last execution; 0: none
  double seconds = 0;
  std::uint64_t traced = 0;   // events in the stream, if there was one
  std::string trace_problem;  // why some of them could not be read; a phrase
  std::string out;            // captured output, first and last part of what there was
  std::string err;
  StreamKinds streams;  // what its standard streams were
  std::string image;    // what a launcher became, and was executed; empty without launcher
  OutOfControl out_of_control;

  // Only for an execution that did not pass (null otherwise: it is a large structure):
  std::unique_ptr<Report> report;
  std::string maps;  // /proc/PID/maps at the end, for symbols
  // The choice log; empty for a passed execution unless it was asked for.
  std::vector<StepRecord> log;
};

// What executing it again, confirming, minimizing and saving need of an execution; the report stays
// with its failure.
Execution without_report(const Execution& execution);

}  // namespace raddle
