// Which executions of the function are run, until one fails.
#pragma once

#include <string>
#include <string_view>

#include "host/check/in_process_runner.hpp"
#include "host/check/replay_string.hpp"
#include "raddle/check.hpp"

namespace raddle {

struct TrialOptions {
  Options asked;  // by the test, with what the environment says
  TestIdentity identity;
  std::string arguments;  // of the test binary, that run this test alone
};

struct TrialResult {
  Coverage coverage;
  std::string failure;  // the explanation; empty if nothing failed
  std::string unseen;   // Coverage::unseen
};

// What the options say for each execution; the strategy must be one of the runtime's.
Plan plan_of(const Options& options);

// Adds to `unseen` that sleeps and time-outs lasted as long as they say, if there were any.
void add_timing(const InProcessRunner& runner, TrialResult& result);

// Finds what races (races.hpp), and makes it decision points of `plan`. False if a data race is the
// failure; then the result has it.
bool prepare_for_races(InProcessRunner& runner, const TrialOptions& options, Plan& plan,
                       TrialResult& result);

// The strategies that draw: one execution per seed. Now and then one is run twice, to notice a
// function that does not do the same each time.
TrialResult try_at_random(InProcessRunner& runner, const TrialOptions& options);

// The explorers (host/explore/search_order.hpp). Until all there is was executed.
bool is_explorer(std::string_view strategy);
std::string explorer_names();  // "dfs, bfs, ..."
TrialResult try_all(InProcessRunner& runner, const TrialOptions& options);

// Exactly one execution.
TrialResult try_named(InProcessRunner& runner, const NamedExecution& named,
                      const TrialOptions& options);

}  // namespace raddle
