// The main job: a few recorded executions say what could go wrong, then the rest of the budget goes
// into executions in which it does. `raddle hunt` is this and a printer.
//
//   profile    recorded executions with several strategies, until they show nothing new: candidates
//   predict    what one passing execution implies (host/campaign/predict/): each witness is
//   executed
//              before anything else is tried, and confirms its candidate by that one execution
//   confirm    schedules with few preemptions first (few_preemptions.hpp). For each candidate the
//              strategy that brings it about, again and again, in turn with strategies that have
//              nothing in view; each execution runs on to its end, to see if it fails. A candidate
//              is confirmed when its detector sees it in a strict replay. One that rests on an
//              inference is then tried for harm (host/campaign/harm/). In between schedules are
//              gone through one kind after another, and with nothing else when new ones stop
//              coming: at the end of that there is nothing left to execute. Some executions allow
//              what no schedule brings about (circumstances.hpp), some try to free memory before a
//              use (use_turns.hpp).
//   minimize   each kind of failure, by its first execution
// The search goes in rounds. What a round executes follows from the rounds before it, and what came
// of it is added in the order of its plans: so the result does not depend on the number of workers,
// nor on how fast they are, unless time ends it.
// Every phase ends early when there is nothing left to do, and at once when the user wants it; what
// was found so far is the result.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/campaign/confirm/candidates.hpp"
#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/failures/misuses.hpp"
#include "host/campaign/minimize/minimize.hpp"
#include "host/describe/finding_story.hpp"
#include "host/explore/causal_problem.hpp"
#include "host/explore/search.hpp"
#include "host/process/worker.hpp"
#include "host/symbols/images/unseen_code.hpp"

namespace raddle {

class HuntJournal;

// What an earlier hunt on the same build knew; see host/cli/running/hunt_journal.hpp.
struct KnownCandidate {
  std::uint64_t key = 0;
  std::uint64_t tried = 0;
  FindingLevel level = FindingLevel::kCandidate;
};

struct HuntOptions {
  Plan plan{};  // of every execution; strategy, seed and what a candidate needs are set for each
  std::uint64_t first_seed = 1;
  Clock::duration budget = std::chrono::seconds(60);
  std::uint64_t executions = 0;  // so many in all, but for minimizing, end the search; 0: no limit
  Clock::duration timeout{};     // of one execution
  const std::atomic<bool>* stop = nullptr;
  bool passing = false;  // look for the nearest execution that passes, for each failure
  bool joint = true;     // units of several calls, see UnitOptions
  WantsFinding wants;    // of candidates and of what is met, not of failures
  // Started with kEnabledCapacity, for predictions; null: there are none.
  Worker* predicting = nullptr;
  unsigned predicting_threads = 1;
  std::vector<KnownCandidate> known;
  std::vector<std::string> known_failures;  // Failure::group: found before, and minimized
  HuntJournal* journal = nullptr;           // hears of everything as it is found
};

// What a hunt knows of one mistake. It begins as a candidate, or, if it was met without being
// predicted, as seen or confirmed; its level only rises.
struct HuntFinding {
  FindingLevel level = FindingLevel::kCandidate;
  std::uint64_t key = 0;               // Candidate::key; of one that was met, Finding::place
  Finding finding;                     // as an analysis or, once confirmed, a detector saw it last
  std::optional<Candidate> candidate;  // how it was predicted; none for what was met
  std::uint64_t tried = 0;             // executions that had it in view
  std::uint64_t realised = 0;          // of these, where the strategy says that it came about
  std::uint64_t looks = 0;             // of these, that the detector looked at
  // From kSeen on:
  Execution execution;      // the one that was confirmed, with its log
  FindingStory story;       // what the detector saw there, in words
  std::string group;        // kFailing: Failure::group of what it led to
  std::string replay_path;  // set by who saves it
};

struct HuntFailure {
  FailureGroup group;  // the first execution of its kind; `explanation` is of the smallest one
  Execution smallest;
  Failure failure;  // of it
  ScheduleCost before;
  ScheduleCost after;
  bool minimized = false;
  bool known = false;               // from an earlier hunt
  Circumstances needs{};            // that the smallest one met, besides what the user asked for
  std::optional<Timeline> passing;  // the nearest execution without it, if there was time for it
};

// It takes a wait that times out although nobody else ran for as long as kLongTimeout: listed
// apart.
bool is_rare(const HuntFailure& failure);

// Who writes down what a hunt finds, as it goes. Called on any worker's thread, one call at a time;
// what is passed is valid during the call.
class HuntJournal {
 public:
  virtual ~HuntJournal() = default;
  // An execution came to its end. `candidate`: what it had in view; null: nothing.
  virtual void executed(const Execution& execution, const HuntFinding* candidate) = 0;
  // A failing one, after executed(): the first of its kind, or one more.
  virtual void failed(const FailureGroup& group) = 0;
  // Something was predicted, or its level rose.
  virtual void found(const HuntFinding& finding) = 0;
  // The first misuse of its kind in an execution that passed.
  virtual void misused(const FoundMisuse& misuse) = 0;
};

enum class HuntPhase { kProfile, kConfirm, kMinimize };

struct HuntCounts {
  HuntPhase phase = HuntPhase::kProfile;
  std::uint64_t executions = 0;  // of this phase
  std::uint64_t candidates = 0;
  std::uint64_t confirmed = 0;  // kHarmful or more
  std::uint64_t failing = 0;    // different failures
  double seconds = 0;           // of this phase
  double share = 0;             // of it that is done, at most 1
};

// What came of the prediction.
struct HuntPredicted {
  std::uint64_t queries = 0;
  std::uint64_t unknown = 0;
  std::uint64_t witnesses = 0;    // executions
  std::uint64_t unconfirmed = 0;  // of them, those that did not show what the model says
  std::uint64_t confirmed = 0;    // findings, failures included
  std::uint64_t too_late = 0;     // questions that there was no time for
  CausalProblem problem;          // why there was none: it does not fit the model
  std::string divergence;         // the same: executions do not repeat
};

// All schedules were gone through, as far as they were seen: one of each kind (kDpor), or each.
struct HuntCovered {
  SearchOrder order = SearchOrder::kDpor;
  SearchCounts counts;
};

struct HuntResult {
  std::optional<HuntPredicted> predicted;
  HuntCounts profile;
  HuntCounts confirm;
  HuntCounts minimize;
  std::uint64_t executions = 0;  // all
  std::uint64_t inconclusive = 0;
  std::uint64_t steps = 0;
  std::uint32_t threads = 0;
  std::uint64_t schedules = 0;  // different ones
  std::optional<HuntCovered> covered;
  std::uint64_t next_seed = 0;  // for who goes on
  bool instrumented = false;
  std::vector<UnseenCode> unseen;  // code of which memory accesses were not seen
  bool interrupted = false;
  bool out_of_budget = false;
  std::vector<HuntFinding> candidates;  // failing, confirmed, candidates; each worst first
  std::vector<HuntFailure> failures;    // those that take fewer preemptions first
  std::vector<FoundMisuse> misuses;     // of primitives, in executions that passed
  std::vector<VerdictNote> inconclusive_reasons;
  OutOfControl out_of_control;
  std::optional<FailureGroup> first_inconclusive;
};

// Called on the thread that called hunt(), some ten times a second and at the end of each phase.
using HuntWatcher = std::function<void(const HuntCounts&)>;

// One thread per worker. An error means that executions could not be started.
Result<HuntResult> hunt(const Workers& workers, const HuntOptions& options, Symbolizer& symbols,
                        const HuntWatcher& watcher);

}  // namespace raddle
