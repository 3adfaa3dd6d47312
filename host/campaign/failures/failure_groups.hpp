// Failures of many executions, grouped: same kind at the same place is one finding with a count.
// Filled by a campaign in the order of seeds, so that "first" means the lowest seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/describe/explanation.hpp"
#include "host/describe/failure.hpp"
#include "host/describe/timeline/timeline.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// How an execution differed from the one whose choices it followed.
struct ReplayDifference {
  enum class Kind : std::uint8_t { kNone, kError, kPassed, kOtherFailure, kOtherLength };
  Kind kind = Kind::kNone;
  std::string error;                 // kError: why there was no execution
  std::optional<Failure> failure;    // kOtherFailure
  std::uint64_t steps = 0;           // kOtherLength
  std::uint64_t recorded_steps = 0;  // kOtherLength
};

struct FailureGroup {
  Failure
      failure;  // of the first execution; after replay_and_explain() with each thread's last steps
  std::uint64_t count = 0;
  std::uint64_t first_seed = 0;
  Execution execution;  // the first one, with its choice log

  // Set by replay_and_explain(): the same choices gave the same failure again. If not,
  // `difference` says how the second execution differed.
  bool replays = false;
  Explanation explanation;  // empty if nothing that happened explains it
  Timeline timeline;        // of the execution that `explanation` explains
  ReplayDifference difference;

  std::string replay_path;  // where it was saved; empty if it was not
};

// What a person should know of executions that did not fail, and how often it was so.
template <class What>
struct Note {
  What what;
  std::uint64_t count = 0;
  std::uint64_t first_seed = 0;
};
using VerdictNote = Note<Verdict>;
using MisuseNote = Note<MisuseLine>;

class FailureGroups {
 public:
  // A failing execution. Its group, valid until the next one.
  const FailureGroup& add(Execution execution, Symbolizer& symbols);

  // The same, but one that already has a group becomes its first execution if it is better than
  // that.
  using IsBetter = bool (*)(const Execution& one, const Execution& first);
  const FailureGroup& add(Execution execution, Symbolizer& symbols, IsBetter better);

  const std::vector<FailureGroup>& list() const { return list_; }
  std::vector<FailureGroup> take() { return std::move(list_); }

 private:
  std::vector<FailureGroup> list_;  // in the order of their first seeds
};

// Counts `what` in `notes`.
template <class What>
void add_note(std::vector<Note<What>>& notes, const What& what, std::uint64_t seed) {
  const auto same = std::find_if(notes.begin(), notes.end(),
                                 [&](const Note<What>& note) { return note.what == what; });
  if (same != notes.end()) {
    ++same->count;
  } else {
    notes.push_back({what, 1, seed});
  }
}

// How a failure that was found is looked at once more. What was found is shown also when the user
// wants to end; but that must not take long then.
RunOptions last_look(Clock::duration timeout, const std::atomic<bool>* stop);

// Runs the finding's choice log once more as a strict replay, with the details that a campaign
// leaves out. Afterwards the finding says whether it replays.
void replay_and_explain(FailureGroup& finding, Worker& worker, const RunOptions& options,
                        Symbolizer& symbols);

}  // namespace raddle
