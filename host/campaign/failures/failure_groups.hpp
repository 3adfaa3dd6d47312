// Failures of many executions, grouped: same kind at the same place is one finding with a count.
// Filled by a campaign in the order of seeds, so that "first" means the lowest seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/describe/explanation.hpp"
#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

struct FailureGroup {
  Failure
      failure;  // of the first execution; after replay_and_explain() with each thread's last steps
  std::uint64_t count = 0;
  std::uint64_t first_seed = 0;
  Execution execution;  // the first one, with its choice log

  // Set by replay_and_explain(): the same choices gave the same failure again. If not,
  // `replay_note` says how the second execution differed.
  bool replays = false;
  Explanation explanation;  // empty if nothing that happened explains it
  std::string replay_note;

  std::string replay_path;  // where it was saved; empty if it was not
};

// Notes about passed executions that a person should know: what it is, and how often.
struct Note {
  std::string text;
  std::uint64_t count = 0;
  std::uint64_t first_seed = 0;
};

class FailureGroups {
 public:
  // A failing execution.
  void add(Execution execution, Symbolizer& symbols);

  const std::vector<FailureGroup>& list() const { return list_; }
  std::vector<FailureGroup> take() { return std::move(list_); }

 private:
  std::vector<FailureGroup> list_;  // in the order of their first seeds
};

// Counts `text` in `notes`.
void add_note(std::vector<Note>& notes, const std::string& text, std::uint64_t seed);

// Runs the finding's choice log once more as a strict replay, with the details that a campaign
// leaves out. Afterwards the finding says whether it replays.
void replay_and_explain(FailureGroup& finding, Worker& worker, const RunOptions& options,
                        Symbolizer& symbols);

}  // namespace raddle
