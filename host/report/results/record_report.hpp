// The result of `raddle record`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/report/document/document.hpp"
#include "host/trace/thinned_trace.hpp"

namespace raddle {

struct RecordReport {
  std::string program;
  std::string file;  // the trace
  const Execution& execution;
  const Failure& failure;  // says nothing if the execution passed
  bool instrumented = false;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::optional<ThinnedTrace> shared;  // with --shared-only
  bool broken = false;                 // the file ends before the execution did
};

Document document_of(const RecordReport& report);

}  // namespace raddle
