// The result of `raddle check`.
#pragma once

#include <string>

#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/report/document/document.hpp"
#include "host/report/results/analysis_report.hpp"
#include "host/report/results/predict_report.hpp"

namespace raddle {

struct CheckReport {
  std::string program;
  const Execution& execution;
  const Failure& failure;  // says nothing if the execution passed
  const Analysis& analysis;
  const FilteredFindings& filtered;
  const PredictReport* predicted = nullptr;  // of other schedules; null: nobody asked
};

Document document_of(const CheckReport& report);

}  // namespace raddle
