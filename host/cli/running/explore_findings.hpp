// What an exploration finds: saved and counted while it goes on. Called by `raddle explore`, one
// execution at a time.
#pragma once

#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/failures/misuses.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/explore/journal.hpp"
#include "host/report/results/explore_report.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

class ExploreFindings {
 public:
  // Takes over what the journal, which may be null, knows of earlier runs.
  ExploreFindings(const PreparedProgram& prepared, OutputFolder& folder, Journal* journal);

  // The execution with this number failed: a new finding is saved, a known one is counted.
  void failing(Execution execution, std::uint64_t number);
  // It reached a limit, or could not be controlled.
  void unfinished(const Execution& execution, std::uint64_t number);
  // It passed, and misused a primitive; with its report and its log.
  void passed(const Execution& execution);
  std::string in_words(const Execution& execution);
  // It is no finding, but somebody has to look at it. The path of its replay file; empty if it
  // could not be written.
  std::string keep(const Execution& execution, const std::string& why);

  // At the end: replays each finding once, for its details, and hands over everything.
  void move_into(ExploreReport& report, Worker& worker, const RunOptions& running);

  // A replay file that could not be written; empty if there was none.
  const std::string& error() const { return error_; }

 private:
  void add_explanation(const FailureGroup& finding);
  void save(FoundMisuse& misuse);
  EarlierFinding* earlier(const std::string& group);
  void take_note(const std::string& text);

  const PreparedProgram& prepared_;
  OutputFolder& folder_;
  Journal* journal_;
  Symbolizer symbols_;
  FailureGroups groups_;
  std::vector<std::string> paths_;
  std::vector<EarlierFinding> earlier_;
  std::vector<VerdictNote> unfinished_;
  std::vector<FoundMisuse> misuses_;
  std::string error_;
};

}  // namespace raddle
