// The result of `raddle predict`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/predict/predict.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct PredictReport {
  std::string file;
  std::string program;
  PredictResult result;                // its failing witnesses are in `failures`
  std::vector<FailureGroup> failures;  // explained, and saved
  std::vector<std::string> replays;    // of each finding, where its witness was saved
  std::string stray_replay;            // where PredictResult::stray was saved
  bool unmodified = false;             // the program shows no memory
  bool strict = false;                 // what rests on an inference counts for the verdict
  double seconds = 0;
};

// Why nothing, or less than all, can be said; empty if that is not so.
std::string prediction_doubt(const PredictReport& report);
// What was asked; a phrase.
std::string prediction_coverage(const PredictReport& report);

// A proved schedule that the program did not follow, with both sides; empty: there is none.
std::string stray_text(const PredictReport& report);

// For commands that predict beside something else: the findings, with numbers after `before`; their
// member of a JSON object; and what they add to a document.
std::string predicted_text(const PredictReport& report, std::size_t before,
                           const TextOptions& look);
nlohmann::ordered_json prediction_json(const PredictReport& report);
void add_predicted(Document& document, const PredictReport& report);

Document document_of(const PredictReport& report);

}  // namespace raddle
