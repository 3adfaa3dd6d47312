// The result of `raddle predict`.
#pragma once

#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/predict/predict.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct PredictReport {
  std::string file;
  std::string program;
  PredictResult result;                   // its failing witnesses are in `failures`
  std::vector<FailureGroup> failures;     // explained, and saved
  std::vector<std::string> race_replays;  // of each race, where its witness was saved
  bool unmodified = false;                // the program shows no memory
  double seconds = 0;
};

Document document_of(const PredictReport& report);

}  // namespace raddle
