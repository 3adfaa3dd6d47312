// Plain accesses that race, in a test that was built with raddle-c++. A few executions are recorded
// before the others, each in a child of this process, under the race detector. What raced becomes a
// decision point of all executions of the check: the order of all other accesses follows from the
// order in which threads synchronise. A race itself is a failure of the test (Options::races).
//
// The same build of the same test gives the same races, so an execution that a failure named is
// repeated with the same decision points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/check/in_process_runner.hpp"
#include "host/check/trials.hpp"
#include "host/describe/finding_story.hpp"

namespace raddle {

struct DataRace {
  FindingStory story;
  Plan plan{};  // of the execution that showed it
  std::vector<StepRecord> log;
};

struct Races {
  std::vector<AimSite> sites;    // that are to be decision points
  std::optional<DataRace> race;  // the first that is certain
};

// Nothing for a test without hooks.
Races find_races(InProcessRunner& runner, const Plan& plan);

// In the words of a failure.
std::string race_text(const DataRace& race);

}  // namespace raddle
