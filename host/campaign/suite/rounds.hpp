// What a suite does next: its time goes where something new comes from. Policy alone: no process is
// started here, and no clock is read.
//
// Work goes in rounds. A round is decided when all results of the one before are there, from them
// alone: so the same suite does the same, with one worker or with a hundred. Each test gets a share
// of the round by what its last share yielded: schedules never seen before, findings, candidates
// that nobody has tried enough, changed code. What an execution costs is told by its steps, which
// are the same everywhere, not by time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/campaign/suite/item.hpp"
#include "host/campaign/suite/residual_risk.hpp"

namespace raddle {

struct RoundOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t executions = 0;  // in all, besides the probes; 0: no limit
  double until_risk = 0;         // a test whose risk is not above this gets no more; 0: no such end
  std::uint64_t timeout_ms = 30'000;
  std::uint64_t most_steps = 0;
  double item_seconds = 2;        // how long an item should take
  std::set<std::string> changed;  // names of tests that executed changed code
};

// What was seen of one strategy: its executions are draws of one distribution, and those of another
// strategy are not.
struct StrategyTally {
  SeenCounts schedules;
  SeenCounts outcomes;  // what failed, or how it ended
};

struct CandidateState {
  SuiteCandidate candidate;
  std::uint64_t tried = 0;
  std::uint64_t realised = 0;
  std::string level = "candidate";
};

struct TestState {
  SuiteTest test;
  bool probed = false;
  std::string problem;  // why it is not searched
  std::vector<std::string> notes;
  SuiteProfile profile;
  std::vector<CandidateState> candidates;
  std::map<std::string, StrategyTally> strategies;
  std::map<std::string, ItemFinding> findings;  // by key, each with its first execution
  std::vector<std::string> written;
  std::uint64_t next_index = 0;  // of the search
  std::uint64_t executions = 0;
  std::uint64_t failing = 0;
  std::uint64_t inconclusive = 0;
  std::uint64_t steps = 0;
  std::uint64_t digest = 0;  // of all outcomes
  double seconds = 0;
  bool changed = false;
  std::uint64_t explored = 0;  // executions that the last exploration was given
  bool complete = false;       // it covered all schedules
  // Of the last round that it had a share of:
  std::uint64_t share = 0;
  std::uint64_t schedules_before = 0;
  std::size_t findings_before = 0;

  std::uint64_t schedules() const;  // different ones, over its strategies
  // The greatest of its strategies' bounds, each at 95 %; 1 if nothing was executed.
  double risk() const;           // that one more execution fails, or ends, in a new way
  double schedule_risk() const;  // that it has a new schedule
  bool exhausted() const;        // no strategy shows new schedules any more, or all are covered
};

class SuiteRounds {
 public:
  SuiteRounds(std::vector<SuiteTest> tests, RoundOptions options);

  // The items of the next round; called when every item of the one before has been added. Empty:
  // nothing is left to do.
  std::vector<Item> next();
  // In any order; each once.
  void add(const Item& item, const ItemResult& result);
  // One for each failing execution that could be smaller.
  std::vector<Item> smallest() const;

  const std::vector<TestState>& tests() const { return tests_; }
  std::uint64_t executions() const;

 private:
  bool is_done(const TestState& test) const;
  double weight(const TestState& test) const;
  void search(std::size_t at, std::uint64_t plans, std::vector<Item>& items);
  void try_candidates(std::size_t at, std::vector<Item>& items);
  void explore(std::size_t at, std::vector<Item>& items);
  Item item_for(std::size_t at, ItemKind kind, const std::string& part) const;
  std::uint64_t left() const;
  TestState* state_of(const Item& item);
  void add_probe(TestState& test, const ItemResult& result);

  std::vector<TestState> tests_;
  RoundOptions options_;
  std::uint64_t round_ = 0;
  std::uint64_t planned_ = 0;  // executions
};

}  // namespace raddle
