// The options of `raddle check` and `raddle analyze` that choose the analyses and what is shown of
// their findings. Called where the command line is parsed.
#pragma once

#include <string>

#include "host/analysis/model/options.hpp"

namespace CLI {
class App;
}

namespace raddle {

struct FindingOptions {
  AnalysisOptions analysis;
  bool strict = false;         // what rests on an inference counts
  bool strict_events = false;  // a malformed stream is an error
  std::string suppressions;
  std::string baseline;
  std::string write_baseline;
  bool all = false;  // all findings, not only the worst
};

// Fills `options`, which must outlive the parsing.
void add_analysis_options(CLI::App& app, FindingOptions& options);

}  // namespace raddle
