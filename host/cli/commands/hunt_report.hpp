// The result of `raddle hunt`, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/campaign/hunt/hunt.hpp"
#include "host/cli/options/options.hpp"
#include "host/process/native.hpp"
#include "host/report/text.hpp"

namespace raddle {

struct HuntReport {
  const HuntCommand& command;
  const NativeRun& native;
  const HuntResult& result;
  double seconds = 0;
  std::uint64_t earlier_executions = 0;  // of the hunts that this one goes on from
  // Failures of these that did not show again: their replay files.
  std::vector<std::string> earlier_failures;
  bool native_told = false;  // on the same terminal, before the hunt
};

// "it fails without raddle, too: exit status 3"; empty if there is nothing to say.
std::string native_text(const NativeRun& native);

// The line of a phase that has ended, or is under way.
std::string phase_text(const HuntCounts& counts);

std::string hunt_text(const HuntReport& report, const TextOptions& look);
nlohmann::ordered_json hunt_json(const HuntReport& report);

// 1: something failing or confirmed. 3: no execution gave a verdict. Else 0.
int hunt_exit_status(const HuntReport& report);

}  // namespace raddle
