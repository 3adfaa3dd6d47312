#include "host/report/results/trace_report.hpp"

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"

namespace raddle {

Document document_of(const TraceReport& report) {
  Document document;
  document.command = "trace";
  document.program = printable(report.file);
  document.counts = {{"events", report.stats.shown()}, {"threads", report.stats.threads()}};
  for (const TraceStats::Counted& kind : report.stats.kinds())
    document.counts.push_back({kind.name, kind.events});
  document.text = [&report](const TextOptions& look) {
    return report.stats.text(report.bytes, look);
  };
  document.json = [&report] { return report.stats.json(report.bytes); };
  return document;
}

}  // namespace raddle
