// The result of `raddle analyze`.
#pragma once

#include <string>

#include "host/report/document/document.hpp"
#include "host/report/results/analysis_report.hpp"
#include "host/trace/trace_reader.hpp"

namespace raddle {

struct AnalyzeReport {
  std::string file;
  const ReadSummary& summary;
  const Analysis& analysis;
  const FilteredFindings& filtered;
};

Document document_of(const AnalyzeReport& report);

}  // namespace raddle
