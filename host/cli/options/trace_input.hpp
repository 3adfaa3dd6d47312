// Recorded executions, in whatever format: what `raddle trace` and `raddle analyze` read.
#pragma once

#include <string>

#include "host/trace/trace_reader.hpp"

namespace raddle {

struct TraceInput {
  std::string file;
  std::string from = "auto";  // "raddle", "std", or to be found out
  bool salvage = false;
};

// As read_trace(), or read_std() for a text that looks like it.
Result<ReadSummary> read_input(const TraceInput& input, EventSink& sink);

// Things about the file that are no error, on standard error: damage, still being recorded.
void note_input(const TraceInput& input, const ReadSummary& summary);

}  // namespace raddle
