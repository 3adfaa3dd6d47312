// The result of `raddle run`.
#pragma once

#include <string>

#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct RunReport {
  std::string program;
  const Execution& execution;
  const Failure& failure;  // says nothing if the execution passed
  std::string saved;       // the replay file; empty if none was asked for
};

Document document_of(const RunReport& report);

}  // namespace raddle
