// The figures of a trace: `raddle trace --stats`, and `raddle trace` in a format that has no way to
// print events as they come.
#pragma once

#include <cstdint>
#include <string>

#include "host/report/document/document.hpp"
#include "host/report/trace_stats.hpp"

namespace raddle {

struct TraceReport {
  std::string file;
  std::uint64_t bytes = 0;  // of the file, 0 if not known
  const TraceStats& stats;
};

Document document_of(const TraceReport& report);

}  // namespace raddle
