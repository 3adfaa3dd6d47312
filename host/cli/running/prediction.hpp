// A prediction, whose witnesses are explained and saved: what `raddle predict` and `raddle check`
// have in common.
#pragma once

#include "host/base/result.hpp"
#include "host/campaign/predict/predict.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/report/results/predict_report.hpp"

namespace raddle {

// `recorded` has its choice log, and Plan::by_values. Fills the report, but for what it is about.
Result<bool> predict_and_save(Worker& worker, const Execution& recorded,
                              const PreparedProgram& prepared, const PredictOptions& options,
                              OutputFolder& folder, PredictReport& report);

// The same for witnesses that are in the report already.
Result<bool> save_witnesses(Worker& worker, const PreparedProgram& prepared,
                            const RunOptions& running, OutputFolder& folder, PredictReport& report);

}  // namespace raddle
