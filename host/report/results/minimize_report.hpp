// The result of `raddle minimize`.
#pragma once

#include <string>

#include "host/campaign/failures/explain.hpp"
#include "host/campaign/minimize/minimize.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct MinimizeReport {
  std::string file;  // that was to be minimized
  std::string program;
  std::string replay;  // where the smaller one is
  const Minimized& result;
  Explained explained;  // of the smallest execution; says nothing if the finding is gone
};

Document document_of(const MinimizeReport& report);

}  // namespace raddle
